import { expect, test } from "vitest";
import { sentence } from "../src/lib/sentence";

test("what is said of something becomes a sentence about it", () => {
  expect(sentence("password", "must have 10 to 200 characters")).toBe("The password must have 10 to 200 characters.");
  expect(sentence("handle", "is taken by somebody else")).toBe("The handle is taken by somebody else.");
  expect(sentence("seats.1.name", "is kept for this site; choose another")).toBe(
    "The name is kept for this site; choose another.",
  );
  expect(sentence("side", "is above the most, 20")).toBe("“side” is above the most, 20.");
});

test("what is a sentence already stays one", () => {
  expect(sentence("password", "handle and password do not belong together")).toBe(
    "Handle and password do not belong together.",
  );
  expect(sentence("address", "too many accounts from this address; try again in an hour")).toBe(
    "Too many accounts from this address; try again in an hour.",
  );
  expect(sentence("", "Can't reach the server.")).toBe("Can't reach the server.");
});

test("what a check of types says is said of the field", () => {
  expect(sentence("body.handle", "String should have at most 60 characters")).toBe(
    "The handle should have at most 60 characters.",
  );
  expect(sentence("body.why", "Field required")).toBe("“why” is missing.");
});
