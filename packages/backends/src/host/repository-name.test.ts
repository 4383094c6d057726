import { expect, test } from "vitest";
import { repositoryGiven, repositoryName } from "./repository-name.ts";

test.each([
  ["git@github.com:me/x.git", "github.com/me/x"],
  ["https://github.com/me/x", "github.com/me/x"],
  ["https://user:token@github.com/me/x.git/", "github.com/me/x"],
  ["ssh://git@github.com:22/me/x.git", "github.com/me/x"],
  ["file:///srv/x.git", "/srv/x"],
  ["/srv/x.git", "/srv/x"],
])("%s is called %s, without a login", (address, name) => {
  expect(repositoryName(address)).toBe(name);
});

test("an address may stand behind the name that leads know, and its own = is no such thing", () => {
  expect(repositoryGiven("github.com/me/x=git://mirror/x.git")).toEqual(["github.com/me/x", "git://mirror/x.git"]);
  expect(repositoryGiven("https://host/x?a=b")[1]).toBe("https://host/x?a=b");
});
