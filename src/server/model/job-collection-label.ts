const ofJob = /^Pipeline Job: job_\w+$/;

/** How the collection of a run's logs is called: each run makes one. */
export function jobCollectionLabel(job: string): string {
  return `Pipeline Job: ${job}`;
}

/** Whether a collection is called as that of a run's logs. */
export function isOfJob(label: string): boolean {
  return ofJob.test(label);
}
