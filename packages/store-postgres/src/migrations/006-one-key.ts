/** One index of the keys of contents does for senders and bridges: a message is one entry less. */
export const oneKey = "drop index message_content;";
