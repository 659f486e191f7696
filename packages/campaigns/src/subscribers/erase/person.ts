/** Whom an erasure is about, as the tables know them. */
export interface Person {
  readonly projectId: string;
  /** Of all lists of the project, deleted ones too. */
  readonly subscriberIds: readonly string[];
  /** The canonical address. */
  readonly emailKey: string;
}
