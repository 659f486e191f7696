import { PlatformError, type PostRef } from '../platforms/platform.ts';
import type { Posting } from './posting.ts';

/** One post whose text is replaced as it changes. */
export class LivePost {
  readonly #posting: Posting;
  #ref: PostRef | null = null;
  #shown = '';

  constructor(posting: Posting) {
    this.#posting = posting;
  }

  isChanged(markdown: string): boolean {
    const isFixed = this.#ref !== null && !this.#posting.canEdit;
    return markdown !== '' && markdown !== this.#shown && !isFixed;
  }

  /**
   * Shows the text; it is asked again whenever time has passed. True when that took a new post. What the platform
   * refuses is left as it stands: the next change tries again.
   */
  async write(text: () => string): Promise<boolean> {
    if (!this.isChanged(text())) return false;
    if (this.#ref !== null && (await this.#edit(this.#ref, text))) return false;
    const markdown = text();
    this.#shown = markdown;
    try {
      this.#ref = await this.#posting.post(markdown);
      return true;
    } catch (error) {
      this.#posting.note(error, 'a post about subagents was not made');
      return false;
    }
  }

  /** False when the post is gone. */
  async #edit(ref: PostRef, text: () => string): Promise<boolean> {
    try {
      await this.#posting.edit(ref, () => {
        const isNew = text() !== this.#shown;
        this.#shown = text();
        return isNew ? this.#shown : null;
      });
      return true;
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'not_found') return false;
      this.#posting.note(error, 'a post about subagents was not brought up to date');
      return true;
    }
  }
}
