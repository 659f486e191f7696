import { type Platform, PlatformError, type PostRef } from '../platforms/platform.ts';
import type { Posting } from './posting.ts';

/** A post with its text; `isNew` when it was made just now. */
export interface Placed {
  readonly ref: PostRef;
  readonly markdown: string;
  readonly isNew: boolean;
}

/** What became of a write. */
export interface Written {
  /** The posts the text stands in now, with what stands in them, in order. */
  readonly posts: readonly Placed[];
  /** Characters that could not be posted, and why. */
  readonly lost: number;
  readonly problem: string | null;
}

/**
 * Text that grows at its end, in as many posts as it needs. The last post is edited until it is full; only what
 * stands in it is ever split again, so the cost of a write does not grow with what was written before.
 */
export class Flow {
  /** What stands or is to stand in the open post and behind it. */
  #tail = '';
  /** The open post and its text; null when there is none to edit. */
  #open: { readonly ref: PostRef; readonly markdown: string } | null = null;

  /** Adds a text; `joint` is what separates it from what stands before it. */
  append(text: string, joint: '\n' | '\n\n'): void {
    this.#tail += this.#tail === '' ? text : joint + text;
  }

  get isChanged(): boolean {
    return this.#tail.trim() !== '' && this.#tail !== this.#open?.markdown;
  }

  /** Characters that are not posted yet. */
  get waiting(): number {
    return this.#tail.length - (this.#open?.markdown.length ?? 0);
  }

  async write(platform: Platform, posting: Posting): Promise<Written> {
    const posts: Placed[] = [];
    let lost = 0;
    let problem: string | null = null;
    let pieces: string[] = [];
    let planned = '';
    /** Looks at the newest text; whoever waited for a turn to edit shows more by it. */
    const plan = () => {
      planned = this.#tail;
      pieces = platform.split(planned);
    };

    const open = this.#open;
    if (open !== null) {
      const isEdited = await this.#edit(open.ref, posting, () => {
        plan();
        const [first = ''] = pieces;
        return shown(first) === shown(open.markdown) ? null : shown(first);
      });
      if (isEdited) {
        const markdown = pieces.shift() ?? open.markdown;
        this.#open = { ref: open.ref, markdown };
        if (markdown !== open.markdown) posts.push({ ...this.#open, isNew: false });
      } else {
        plan();
      }
    } else {
      plan();
    }

    let last = this.#open?.markdown ?? '';
    for (const piece of pieces) {
      if (piece.trim() === '') continue;
      last = piece;
      try {
        const ref = await posting.post(shown(piece));
        this.#open = platform.capabilities.edit ? { ref, markdown: piece } : null;
        posts.push({ ref, markdown: piece, isNew: true });
      } catch (error) {
        this.#open = null;
        lost += piece.length;
        problem = error instanceof Error ? error.message : String(error);
      }
    }
    const added = this.#tail.slice(planned.length);
    this.#tail = (this.#open === null ? '' : last) + (this.#open === null ? added.trimStart() : added);
    return { posts, lost, problem };
  }

  /**
   * False when the post is no longer there, or may not be edited any more. A post that is gone is posted anew with
   * all that stood in it; behind one that cannot be edited only what is new follows.
   */
  async #edit(ref: PostRef, posting: Posting, text: () => string | null): Promise<boolean> {
    try {
      await posting.edit(ref, text);
      return true;
    } catch (error) {
      const isGone = error instanceof PlatformError && error.code === 'not_found';
      if (!isGone) this.#tail = this.#tail.slice(this.#open?.markdown.length).trimStart();
      this.#open = null;
      return false;
    }
  }
}

/** Empty lines around a cut are not shown; the indent of the first line is. */
function shown(piece: string): string {
  return piece.trimEnd().replace(/^(?:[ \t]*\n)+/, '');
}
