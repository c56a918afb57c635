// Opens Tercet's page in place of a drawn board, or below the code of a console, when the reader asks for it.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.living");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const board = link.closest(".board");
  const frame = document.createElement("iframe");
  frame.src = link.href;
  frame.title = link.dataset.title;
  for (const drawing of board.querySelectorAll(".day, .night")) drawing.remove();
  board.classList.add("wide");
  board.prepend(frame);
  link.classList.remove("living");
  link.textContent = "Open the whole page";
  frame.focus();
});
