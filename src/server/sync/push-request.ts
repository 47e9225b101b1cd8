/** One write to a remote. */
export interface PushRequest {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** Given the remote's tip as last answered, "" where there is none. */
  body: (expectTip: string) => unknown;
  /** The hash of the content that it makes, null where only the remote can say. */
  makes: string | null;
  /** What it takes, where the entity does not lie in the same collections all the time. */
  needs?: readonly Need[];
  /** What of the entity stays here where the remote does not take this one, in words. */
  stays?: string;
  /** All else goes without it where the remote does not take it. */
  mayFail?: true;
}

/** An action that the key's user must be allowed in a collection. */
export interface Need {
  action: string;
  collection: string;
}
