/** Someone who answers questions in lines of text: a person at a terminal, a pipe, or a test. */
export interface Prompter {
  /** The answer without spaces around it. @throws Abandoned */
  ask(question: string): Promise<string>;
  /** The same, with nothing shown of what is typed. @throws Abandoned */
  askSecret(question: string): Promise<string>;
  close(): void;
}

/** The one who was asked gave up: by Ctrl-C, at the end of the input, or by a no to the last question. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
  readonly why: 'interrupted' | 'ended' | 'declined';

  constructor(why: Abandoned['why']) {
    super(why);
    this.why = why;
  }
}
