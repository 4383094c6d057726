import { openFileStore } from "@troupe/store/files";
import { judgeMember } from "@troupe/team/testing";
import { describe, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { wholeSession } from "../../test/whole-session.ts";

describe("a whole session as a member:", () =>
  judgeMember({ test, engine: wholeSession, store: async () => openFileStore({ root: scratch() }) }));
