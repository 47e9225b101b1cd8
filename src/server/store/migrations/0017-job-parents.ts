/** What a job has handed on is asked for with each look at it, and its run may have a hundred thousand jobs. */
export const jobParents = 'CREATE INDEX job_parent ON job (parent) WHERE parent IS NOT NULL';
