/** Whether an import came to its end, where 0 says that it did not; of those from before nobody knows. */
export const keepEnds = 'ALTER TABLE import_run ADD COLUMN ended INTEGER;';
