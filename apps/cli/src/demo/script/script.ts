import type { Rule } from "@troupe/fake-anthropic";
import { conversationOf } from "./conversation.ts";
import { lead } from "./lead.ts";
import { review } from "./review.ts";
import { ann, bob, cleo } from "./teammates.ts";

const members = { ann, bob, cleo };

/**
 * Plays the model of every agent. It answers what it is told and what its calls came to, as a model
 * does, and nobody else looks at it.
 */
export const rule: Rule = (request) => {
  const conversation = conversationOf(request);
  const { member } = conversation;
  if (member !== undefined && Object.hasOwn(members, member))
    return members[member as keyof typeof members](conversation);
  return review(conversation) ?? lead(conversation);
};
