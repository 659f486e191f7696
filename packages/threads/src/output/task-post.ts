import { type Clock, nowMilliseconds } from '@postern/kit';
import type { AgentEvent } from '../agent/agent.ts';
import { type Platform, PlatformError, type PostRef } from '../platforms/platform.ts';
import type { Posting } from './posting.ts';
import { TaskList } from './task-list.ts';

/** Put on the task list, or taken back, it makes it one line or whole again. */
const TOGGLE_EMOJI = 'arrow_down_small';
/** A stream of new posts does not take the list along with each of them, but after so many milliseconds. */
const MOVE_EVERY_MS = 3_000;
/** How many tasks are shown, by what fits into one post. */
const SIZES = [40, 20, 10, 5, 0];

/** The task list's post: kept at the end of the thread while there is something to do. */
export class TaskPost {
  readonly #posting: Posting;
  readonly #platform: Platform;
  readonly #clock: Clock;
  readonly #list = new TaskList();
  #ref: PostRef | null = null;
  #shown = '';
  #isOutrun = false;
  /** All was done when it was last written: the post stays where it is, and new tasks get one of their own. */
  #isFinished = false;
  #movedMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly posting: Posting; readonly platform: Platform; readonly clock: Clock }) {
    this.#posting = options.posting;
    this.#platform = options.platform;
    this.#clock = options.clock;
  }

  /** True when the list has changed. */
  take(event: AgentEvent): boolean {
    if (!this.#list.take(event)) return false;
    if (this.#isFinished && !this.#list.isDone) {
      this.#list.dropCompleted();
      this.#forget();
    }
    return true;
  }

  /** There are posts behind it. */
  outrun(): void {
    this.#isOutrun = true;
  }

  /** True when the post is the list's and the emoji its own. */
  toggle(ref: PostRef, emoji: string): boolean {
    if (emoji !== TOGGLE_EMOJI || this.#ref?.postId !== ref.postId) return false;
    this.#list.isMinimised = !this.#list.isMinimised;
    return true;
  }

  get isChanged(): boolean {
    return this.#isToMove || this.#markdown() !== this.#shown;
  }

  /** @param isFinal Moves it even if it was moved just now. */
  async write(isFinal: boolean): Promise<void> {
    const isMoving =
      this.#isToMove && (isFinal || nowMilliseconds(this.#clock) - this.#movedMs >= MOVE_EVERY_MS);
    const markdown = this.#markdown();
    if (!isMoving && markdown === this.#shown) return;
    try {
      await this.#show(markdown, isMoving);
    } catch (error) {
      // The next change tries again.
      this.#shown = markdown;
      this.#isOutrun = false;
      this.#posting.note(error, 'the task list could not be shown');
    }
    this.#isFinished = this.#list.isDone;
  }

  async #show(markdown: string, isMoving: boolean): Promise<void> {
    const ref = this.#ref;
    if (markdown === '') {
      this.#forget();
      if (ref !== null) await this.#posting.delete(ref);
    } else if (ref === null) {
      this.#shown = markdown;
      await this.#post(markdown);
      if (this.#ref !== null) await this.#posting.react(this.#ref, TOGGLE_EMOJI);
    } else if (isMoving || !this.#posting.canEdit) {
      this.#shown = markdown;
      await this.#post(markdown);
      await this.#posting.delete(ref);
    } else {
      await this.#edit(ref);
    }
  }

  async #post(markdown: string): Promise<void> {
    this.#isOutrun = false;
    this.#movedMs = nowMilliseconds(this.#clock);
    this.#ref = await this.#posting.post(markdown);
  }

  async #edit(ref: PostRef): Promise<void> {
    try {
      await this.#posting.edit(ref, () => {
        this.#shown = this.#markdown();
        return this.#shown;
      });
    } catch (error) {
      if (!(error instanceof PlatformError && error.code === 'not_found')) throw error;
      await this.#post(this.#shown);
    }
  }

  get #isToMove(): boolean {
    return this.#isOutrun && this.#ref !== null && !this.#isFinished;
  }

  #forget(): void {
    this.#ref = null;
    this.#shown = '';
    this.#isFinished = false;
    this.#isOutrun = false;
  }

  #markdown(): string {
    for (const size of SIZES) {
      const markdown = this.#list.markdown(size);
      if (markdown === '' || this.#platform.split(markdown).length === 1) return markdown;
    }
    return '';
  }
}
