/** Counts changes of what is kept of one's progress, for pages that show it. */
export const changes = $state({ count: 0 });
