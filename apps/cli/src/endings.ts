/** Why a turn ended, for people; a program of others may have words of its own. */
export const endingWords = (why: string): string => (Object.hasOwn(words, why) ? (words[why] ?? why) : why);

const words: Readonly<Record<string, string>> = {
  aborted: "it was stopped",
  budget: "its budget is spent",
  max_turns: "it has made as many requests as it may",
  model_error: "the model could not be asked",
  overflow: "its context is full",
  refusal: "the model refused",
};
