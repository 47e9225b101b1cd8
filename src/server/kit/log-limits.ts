/** How many messages of the work itself a job's log keeps: of 1000 in all, 50 are for what becomes of the job. */
export const maxNotes = 950;
/** How long one is, in UTF-16 units. */
export const maxText = 4000;
