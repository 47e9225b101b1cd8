/** How many messages a job's log has at most. */
export const maxMessages = 1000;
/** How many of these the work itself may say: the others are for what becomes of the job. */
export const maxNotes = maxMessages - 50;
/** How long one is, in UTF-16 units. */
export const maxText = 4000;
