/** Stands for a token in previews and tests. */
export const SAMPLE = 'sample';

export interface TokenParams {
  Params: { token: string };
}
