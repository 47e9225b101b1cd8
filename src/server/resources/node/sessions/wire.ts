export interface SessionLinkView {
  /** The page's address with a token in its fragment, which browsers do not send. It works once. */
  url: string;
  /** @isDateTime */
  expires_at: string;
}

export interface OpenSessionBody {
  /**
   * The token of a link.
   * @maxLength 64
   */
  token: string;
}

export interface SessionView {
  /** When the session ends unless it is used; missing where it lasts as long as the node runs. */
  expires_at?: string;
}
