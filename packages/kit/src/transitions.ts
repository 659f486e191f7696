/**
 * State that moves is a table of (state, event, next state). Whoever moves it asks the table, so that an API,
 * a tool and an engine cannot disagree on what is allowed.
 */

/** For each state, the events it takes and where each leads. */
type Table<T> = { readonly [State in keyof T]: Readonly<Record<string, keyof T & string>> };

type StateOf<T> = keyof T & string;
type EventOf<T> = { [State in keyof T]: keyof T[State] & string }[keyof T];

/** An event that a state does not take. What it does take is in `allowed`, for the caller's error. */
export class IllegalTransition<State extends string = string, Event extends string = string> extends Error {
  override readonly name = 'IllegalTransition';
  readonly state: State;
  readonly event: Event;
  readonly allowed: readonly Event[];

  constructor(machine: string, state: State, event: Event, allowed: readonly Event[]) {
    super(`${machine}: ${event} is not possible in state ${state}`);
    this.state = state;
    this.event = event;
    this.allowed = allowed;
  }
}

export interface TransitionTable<State extends string, Event extends string> {
  /** All states, in the order they were written; the tuple suits `z.enum`. */
  readonly states: readonly [State, ...State[]];
  /** All events, in the order they first appear. */
  readonly events: readonly Event[];
  /**
   * The state an event leads to.
   *
   * @throws IllegalTransition when the state does not take the event.
   */
  next(state: State, event: Event): State;
  can(state: State, event: Event): boolean;
  /** The events a state takes. */
  eventsFrom(state: State): readonly Event[];
  /** The states that take an event: the condition of an UPDATE that moves rows. */
  statesBefore(event: Event): readonly State[];
  /** Whether no event leaves the state. */
  isFinal(state: State): boolean;
}

/**
 * Builds the table of one machine. States and events get their types from what is written, and an arrow to a
 * state that has no line of its own is a type error:
 *
 * ```ts
 * const send = transitionTable('send', {
 *   queued: { start: 'sending', cancel: 'cancelled' },
 *   sending: { succeed: 'sent', lose: 'unknown' },
 *   sent: {},
 *   unknown: {},
 *   cancelled: {},
 * });
 * ```
 *
 * @param name of the machine, for error texts.
 */
export function transitionTable<const T extends Table<T>>(
  name: string,
  table: T,
): TransitionTable<StateOf<T>, EventOf<T>> {
  type State = StateOf<T>;
  type Event = EventOf<T>;
  const arrows = new Map<State, ReadonlyMap<Event, State>>();
  for (const [state, targets] of Object.entries(table) as [State, Record<Event, State>][]) {
    arrows.set(state, new Map(Object.entries(targets) as [Event, State][]));
  }
  const [first, ...others] = arrows.keys();
  if (first === undefined) throw new Error(`${name}: a transition table has at least one state`);
  for (const [state, targets] of arrows) {
    for (const [event, target] of targets) {
      if (!arrows.has(target))
        throw new Error(`${name}: ${state} + ${event} leads to unknown state ${target}`);
    }
  }
  const from = (state: State): ReadonlyMap<Event, State> => {
    const targets = arrows.get(state);
    // A state read from a database may be one that a newer version knows.
    if (targets === undefined) throw new Error(`${name}: there is no state ${state}`);
    return targets;
  };
  return {
    states: [first, ...others],
    events: [...new Set([...arrows.values()].flatMap((targets) => [...targets.keys()]))],
    next(state, event) {
      const target = from(state).get(event);
      if (target === undefined) throw new IllegalTransition(name, state, event, [...from(state).keys()]);
      return target;
    },
    can: (state, event) => from(state).has(event),
    eventsFrom: (state) => [...from(state).keys()],
    statesBefore: (event) => [...arrows].flatMap(([state, targets]) => (targets.has(event) ? [state] : [])),
    isFinal: (state) => from(state).size === 0,
  };
}
