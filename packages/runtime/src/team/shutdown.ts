import { backendOf, codecFor, type Form, type Member, nameKey, parseShutdownId, teammateTerminated } from "@troupe/protocol";
import { answerSent, type SendMessageOutput202602, shutdownAnswerBody } from "@troupe/protocol/tools";
import type { Participant, Team } from "@troupe/store";
import type { MailReader } from "./mailbox.ts";
import { type Note, toldBefore } from "./notes.ts";
import { memberNamed, revisionOf } from "./roster.ts";
import { type RequestOf, refused } from "./router.ts";
import { teammateMessage } from "./teammate-words.ts";
