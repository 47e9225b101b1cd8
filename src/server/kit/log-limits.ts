/** How many messages a job's log has at most. */
export const maxMessages = 1000;
/** How long one is, in UTF-16 units. */
export const maxText = 4000;
