import type { Log } from '@postern/http';
import type { Clock } from '@postern/kit';
import type { AgentEvent } from '../agent/agent.ts';
import { canonicalEmoji } from '../platforms/emoji.ts';
import type { Platform, PostRef } from '../platforms/platform.ts';
import type { EditBudget } from './edit-budget.ts';
import { Flow } from './flow.ts';
import { LivePost } from './live-post.ts';
import { balanced, oneLine, plain } from './markup.ts';
import { Notes } from './notes.ts';
import { Posting } from './posting.ts';
import { refusalIn } from './refusal.ts';
import { SubagentGroup } from './subagents.ts';
import { TaskPost } from './task-post.ts';
import { ToolCalls } from './tool-calls.ts';
import { hasLine, isSubagent, toolLine, toolName } from './tool-line.ts';

/** Characters that may wait to be posted before the agent is made to wait. */
const MOST_WAITING = 200_000;
/** Subagents' posts that are still counted up; older ones stay as they are. */
const MOST_LIVE = 20;
/** So that the lines of a group fit into one post on any platform. */
const LARGEST_GROUP = 10;
const LONGEST_ERROR = 160;
const SHORTEST_DELAY_MS = 10;
/** Put on a post, it shows the details of the tool calls in it; taken back, it hides them. */
export const DETAILS_EMOJI = 'mag';

export interface ThreadOutputOptions {
  readonly platform: Platform;
  readonly channelId: string;
  /** Null when the whole channel is the session. */
  readonly threadId: string | null;
  readonly workingDir: string;
  readonly clock: Clock;
  /** The platform's, shared by its sessions. */
  readonly budget: EditBudget;
  readonly flushDelayMs: number;
  /** Begins the keys of the posts: unlike that of any earlier output in this thread. */
  readonly keyPrefix: string;
  readonly log: Log;
}

type Block =
  | { readonly kind: 'flow'; readonly flow: Flow }
  | { readonly kind: 'subagents'; readonly group: SubagentGroup; readonly post: LivePost };

/**
 * From what an agent tells to posts in a thread. Text and tool calls flow into posts that grow until they are full;
 * subagents have a post of their own that counts; the task list is kept at the end. What is pushed is written in
 * its order, at most every `flushDelayMs`; nothing is lost unless the platform refuses it for good, and then the
 * thread is told how much.
 */
export class ThreadOutput {
  readonly #options: ThreadOutputOptions;
  readonly #posting: Posting;
  readonly #tasks: TaskPost;
  readonly #calls = new ToolCalls();
  readonly #notes = new Notes();
  /** What is not finally written yet, in order; text is added to the last one. */
  readonly #blocks: Block[] = [];
  readonly #live: Extract<Block, { kind: 'subagents' }>[] = [];
  readonly #details = new Map<string, PostRef[]>();
  #lastWasLine = false;
  #isOutrun = false;
  #work: Promise<void> | null = null;
  #hurry = new AbortController();
  #room: PromiseWithResolvers<void> | null = null;
  #isClosed = false;
  /** What could not be posted and nobody has been told of. */
  #lost: { readonly characters: number; readonly problem: string } | null = null;

  constructor(options: ThreadOutputOptions) {
    this.#options = options;
    this.#posting = new Posting(options);
    this.#tasks = new TaskPost({ ...options, posting: this.#posting });
  }

  /** Takes an event; resolves when there is room for the next. */
  async push(event: AgentEvent): Promise<void> {
    this.#take(event);
    await this.#roomForMore();
  }

  /** Adds words of the bot's own, in their place among the agent's. */
  say(markdown: string): void {
    this.#append(markdown, false);
  }

  /** Somebody else has posted: the task list is no longer at the end, and what comes next has to stand behind it. */
  outrun(): void {
    this.#isOutrun = true;
    this.#tasks.outrun();
    this.#wake();
  }

  /**
   * A reaction was put on a post or taken back, by somebody who may. True when it means something here: it shows
   * the details of tool calls, or minimises the task list.
   */
  async react(ref: PostRef, emoji: string): Promise<boolean> {
    const name = canonicalEmoji(emoji);
    if (this.#tasks.toggle(ref, name)) {
      this.#wake();
      return true;
    }
    return name === DETAILS_EMOJI && (await this.#toggleDetails(ref));
  }

  /** Resolves when all that was pushed before has been written, or given up. */
  async flush(): Promise<void> {
    this.#hurry.abort();
    this.#wake();
    while (this.#work !== null) await this.#work;
  }

  /** Writes what is left and ends. Aborting the signal gives up what the platform does not take at once. */
  async close(signal?: AbortSignal): Promise<void> {
    this.#isClosed = true;
    for (const { group } of [...this.#live, ...this.#blocks.filter(isSubagents)]) group.abandon();
    const giveUp = () => this.#posting.giveUp();
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    await this.flush();
    signal?.removeEventListener('abort', giveUp);
    this.#room?.resolve();
  }

  #take(event: AgentEvent): void {
    if (this.#tasks.take(event)) this.#wake();
    const note = 'parentToolUseId' in event && event.parentToolUseId !== null ? null : this.#notes.of(event);
    if (event.type === 'text' && event.parentToolUseId === null)
      this.#append(balanced(event.text.trimEnd()), false);
    if (event.type === 'tool_use') this.#use(event);
    if (event.type === 'tool_result') this.#result(event);
    if (note !== null) this.#append(note, false);
    if (event.type === 'turn_finished' && this.#work !== null) this.#hurry.abort();
  }

  #use(event: Extract<AgentEvent, { type: 'tool_use' }>): void {
    if (event.parentToolUseId !== null) {
      const group = this.#groupOf(event.parentToolUseId);
      group?.used(event.parentToolUseId);
      if (group) this.#wake();
    } else if (isSubagent(event.name)) {
      this.#openGroup().add(event);
      this.#wake();
    } else if (hasLine(event.name)) {
      const line = toolLine(event.name, event.input, this.#options.workingDir);
      this.#calls.add(event, line);
      this.#append(line, true);
    }
  }

  #result(event: Extract<AgentEvent, { type: 'tool_result' }>): void {
    if (event.parentToolUseId !== null) return;
    const group = this.#groupOf(event.toolUseId);
    group?.ended(event.toolUseId, event.isError);
    if (group) this.#wake();
    const name = this.#calls.name(event.toolUseId);
    this.#calls.ended(event.toolUseId, event.text);
    const refusal = refusalIn(event.text);
    if (name === null || (!event.isError && refusal === null)) return;
    const error = refusal ?? event.text.replace(/<\/?tool_use_error>/g, '');
    this.#append(`- ❌ ${plain(toolName(name))}: ${plain(oneLine(error, LONGEST_ERROR))}`, true);
  }

  #append(markdown: string, isLine: boolean): void {
    if (markdown.trim() === '') return;
    let last = this.#blocks.at(-1);
    if (last?.kind !== 'flow' || this.#isOutrun) {
      last = { kind: 'flow', flow: new Flow() };
      this.#begin(last);
    }
    last.flow.append(markdown, isLine && this.#lastWasLine ? '\n' : '\n\n');
    this.#lastWasLine = isLine;
    this.#wake();
  }

  #openGroup(): SubagentGroup {
    const last = this.#blocks.at(-1);
    const isOpen = last?.kind === 'subagents' && last.group.size < LARGEST_GROUP && !this.#isOutrun;
    if (isOpen) return last.group;
    const group = new SubagentGroup();
    this.#begin({ kind: 'subagents', group, post: new LivePost(this.#posting) });
    return group;
  }

  #begin(block: Block): void {
    this.#blocks.push(block);
    this.#isOutrun = false;
  }

  #groupOf(toolUseId: string): SubagentGroup | undefined {
    return [...this.#live, ...this.#blocks.filter(isSubagents)].find(({ group }) => group.has(toolUseId))
      ?.group;
  }

  get #waiting(): number {
    return this.#blocks.reduce((sum, block) => sum + (block.kind === 'flow' ? block.flow.waiting : 0), 0);
  }

  async #roomForMore(): Promise<void> {
    while (this.#waiting > MOST_WAITING && !this.#isClosed) {
      this.#room ??= Promise.withResolvers();
      await this.#room.promise;
    }
  }

  get #isChanged(): boolean {
    return (
      this.#blocks.length > 1 ||
      this.#tasks.isChanged ||
      [...this.#blocks, ...this.#live].some((block) =>
        block.kind === 'flow' ? block.flow.isChanged : block.post.isChanged(block.group.markdown()),
      )
    );
  }

  #wake(): void {
    this.#work ??= this.#run();
  }

  async #run(): Promise<void> {
    // Whoever wakes it goes on first, so that what belongs together is written together.
    await Promise.resolve();
    while (this.#isChanged) {
      await this.#options.clock.sleep(
        Math.max(SHORTEST_DELAY_MS, this.#options.flushDelayMs),
        this.#hurry.signal,
      );
      const isFinal = this.#hurry.signal.aborted;
      if (isFinal) this.#hurry = new AbortController();
      try {
        await this.#write(isFinal);
      } catch (error) {
        this.#options.log.error({ err: error }, 'the output of a session could not be written');
        break;
      } finally {
        this.#room?.resolve();
        this.#room = null;
      }
    }
    if (this.#hurry.signal.aborted) this.#hurry = new AbortController();
    this.#work = null;
  }

  async #write(isFinal: boolean): Promise<void> {
    for (;;) {
      const [block] = this.#blocks;
      if (block === undefined) break;
      await this.#writeBlock(block);
      if (this.#blocks.length === 1) break;
      // Something was added to it meanwhile, before the next block began.
      if (block.kind === 'flow' && block.flow.isChanged) continue;
      this.#blocks.shift();
      if (block.kind === 'subagents') this.#keepLive(block);
    }
    for (const { group, post } of this.#live) await this.#writeLive(group, post);
    await this.#tasks.write(isFinal);
  }

  async #writeBlock(block: Block): Promise<void> {
    if (block.kind === 'subagents') return this.#writeLive(block.group, block.post);
    const isThrough = await this.#writeFlow(block.flow);
    if (this.#lost === null || !isThrough) return;
    // Said only once something gets through: a refusal would but be followed by the next one.
    const { characters, problem } = this.#lost;
    this.#lost = null;
    block.flow.append(`⚠️ ${characters} characters could not be posted: ${plain(problem)}`, '\n\n');
    await this.#writeFlow(block.flow);
  }

  /** True when something got through. */
  async #writeFlow(flow: Flow): Promise<boolean> {
    if (!flow.isChanged) return false;
    const { posts, lost, problem } = await flow.write(this.#options.platform, this.#posting);
    this.#calls.posted(posts);
    if (posts.some(({ isNew }) => isNew)) this.#tasks.outrun();
    if (lost > 0) {
      this.#options.log.error({ lost, problem }, 'output of a session was not posted');
      this.#lost = { characters: (this.#lost?.characters ?? 0) + lost, problem: problem ?? 'unknown' };
    }
    return posts.length > 0;
  }

  async #writeLive(group: SubagentGroup, post: LivePost): Promise<void> {
    if (await post.write(() => group.markdown())) this.#tasks.outrun();
  }

  #keepLive(block: Extract<Block, { kind: 'subagents' }>): void {
    this.#live.push(block);
    if (this.#live.length > MOST_LIVE) this.#live.shift();
  }

  async #toggleDetails(ref: PostRef): Promise<boolean> {
    const shown = this.#details.get(ref.postId);
    if (shown !== undefined) {
      this.#details.delete(ref.postId);
      for (const each of shown) await this.#posting.delete(each);
      return true;
    }
    const details = this.#calls.details(ref.postId);
    if (details === '') return false;
    const posts: PostRef[] = [];
    this.#details.set(ref.postId, posts);
    try {
      for (const piece of this.#options.platform.split(details)) posts.push(await this.#posting.post(piece));
    } catch (error) {
      this.#posting.note(error, 'the details of tool calls could not be shown');
    }
    this.outrun();
    return true;
  }
}

function isSubagents(block: Block): block is Extract<Block, { kind: 'subagents' }> {
  return block.kind === 'subagents';
}
