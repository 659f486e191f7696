import type { AgentEvent } from '../agent/agent.ts';
import { oneLine, plain } from './markup.ts';

type Status = 'pending' | 'in_progress' | 'completed';

interface Task {
  subject: string;
  activeForm: string | null;
  status: Status;
}

const LONGEST_SUBJECT = 200;
const MARKS: Readonly<Record<Status, string>> = { pending: '☐', in_progress: '▶', completed: '☑' };
const CREATED = /^Task #(\S+) created/;

/** What the agent means to do, by TaskCreate and TaskUpdate or, of older versions, by TodoWrite. */
export class TaskList {
  #tasks = new Map<string, Task>();
  /** Calls whose answer will tell the task's id. */
  readonly #creating = new Map<string, Task>();
  isMinimised = false;

  /** Takes an event of the main agent; true when the list has changed. */
  take(event: AgentEvent): boolean {
    if (event.type === 'tool_use' && event.parentToolUseId === null) return this.#use(event);
    if (event.type === 'tool_result') return this.#created(event);
    return false;
  }

  get isDone(): boolean {
    return [...this.#tasks.values()].every(({ status }) => status === 'completed');
  }

  dropCompleted(): void {
    for (const [id, { status }] of this.#tasks) if (status === 'completed') this.#tasks.delete(id);
  }

  /** Empty when there is nothing to show. The rest of more tasks than `most` is counted. */
  markdown(most: number): string {
    const tasks = [...this.#tasks.values()];
    if (tasks.length === 0) return '';
    const done = tasks.filter(({ status }) => status === 'completed').length;
    const head = `📋 **Tasks** ${done}/${tasks.length}`;
    const current = tasks.find(({ status }) => status === 'in_progress');
    if (this.isMinimised || most === 0) return current ? `${head} · ${said(current)}` : head;
    const shown = tasks.slice(0, most).map((task) => `- ${MARKS[task.status]} ${said(task)}`);
    const rest = tasks.length - shown.length;
    return [head, '', ...shown, ...(rest > 0 ? [`- … and ${rest} more`] : [])].join('\n');
  }

  #use({ id, name, input }: Extract<AgentEvent, { type: 'tool_use' }>): boolean {
    if (name === 'TodoWrite' && Array.isArray(input.todos)) {
      const todos = (input.todos as unknown[]).map((todo, index) => [`todo-${index}`, todoOf(todo)] as const);
      this.#tasks = new Map(todos);
      return true;
    }
    if (name === 'TaskCreate') {
      this.#creating.set(id, {
        subject: textOf(input.subject),
        activeForm: textOf(input.activeForm) || null,
        status: 'pending',
      });
      return false;
    }
    return name === 'TaskUpdate' && this.#update(input);
  }

  #update(input: Readonly<Record<string, unknown>>): boolean {
    const taskId = textOf(input.taskId);
    if (taskId === '') return false;
    if (input.status === 'deleted') return this.#tasks.delete(taskId);
    // A resumed session knows tasks of which this process has not heard.
    const task: Task = this.#tasks.get(taskId) ?? {
      subject: `Task ${taskId}`,
      activeForm: null,
      status: 'pending',
    };
    if (textOf(input.subject) !== '') task.subject = textOf(input.subject);
    if (textOf(input.activeForm) !== '') task.activeForm = textOf(input.activeForm);
    if (isStatus(input.status)) task.status = input.status;
    this.#tasks.set(taskId, task);
    return true;
  }

  #created({ toolUseId, text }: Extract<AgentEvent, { type: 'tool_result' }>): boolean {
    const task = this.#creating.get(toolUseId);
    if (task === undefined) return false;
    this.#creating.delete(toolUseId);
    const id = CREATED.exec(text)?.[1];
    if (id === undefined) return false;
    this.#tasks.set(id, task);
    return true;
  }
}

function said({ status, subject, activeForm }: Task): string {
  const words = status === 'in_progress' && activeForm !== null ? activeForm : subject;
  const line = plain(oneLine(words, LONGEST_SUBJECT));
  return status === 'in_progress' ? `**${line}**` : line;
}

function todoOf(todo: unknown): Task {
  const { content, activeForm, status } = (todo ?? {}) as Record<string, unknown>;
  return {
    subject: textOf(content),
    activeForm: textOf(activeForm) || null,
    status: isStatus(status) ? status : 'pending',
  };
}

function isStatus(value: unknown): value is Status {
  return value === 'pending' || value === 'in_progress' || value === 'completed';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
