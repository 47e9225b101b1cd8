/** `answered`: with which status a request was answered whose version could not be read then, though the answer names it. */
export const answeredPushes = 'ALTER TABLE push_intent ADD COLUMN answered INTEGER';
