/** How far an upload has come. */
export interface UploadView {
  /**
   * How many bytes have come, in order; also as the header `Upload-Offset`.
   * @isInt
   */
  offset: number;
  /**
   * How many there are to be.
   * @isInt
   */
  size: number;
  complete: boolean;
  /** Of the bytes, where all of them have come. */
  cid?: string;
  /** When the address stops taking bytes; each part puts it off. */
  expires_at: string;
}
