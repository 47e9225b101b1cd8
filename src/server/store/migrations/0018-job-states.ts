/** Databases of the first day have it without the processor (0001-initial.ts has been changed since). */
export const jobStates = `
  DROP INDEX IF EXISTS job_state;
  CREATE INDEX job_state ON job (state, key, processor) WHERE state IN ('queued', 'sent', 'accepted');
`;
