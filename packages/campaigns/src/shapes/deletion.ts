/** What deleting something came to, or would come to. */
export interface Deletion<Row> {
  readonly outcome: 'would_delete' | 'deleted' | 'already_deleted';
  readonly effect: string;
  /** The thing after the call. */
  readonly row: Row;
}

export const deletionOutcomes = ['would_delete', 'deleted', 'already_deleted'] as const;
