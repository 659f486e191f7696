import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { errorText } from '../api/http.ts';
import { type ThreadSession, threadsApi } from '../api/threads.ts';
import { Link, paths } from '../router.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { RoomHead } from '../ui/room-head.tsx';
import { Loaded } from '../ui/section.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { questionsOfQuery, sessionQuery, threadsKey } from './queries.ts';
import { QuestionCard } from './questions.tsx';
import { sessionTitle } from './sessions.tsx';
import { permissionModes, SessionBadge } from './words.tsx';

/** Turns of a small model cost less than a cent. */
const COST = { style: 'currency', currency: 'USD', maximumFractionDigits: 4 } as const;

/** One session: what it is, what it waits for, and how to stop it. */
export function SessionPage({ id }: { readonly id: string }) {
  const session = useQuery(sessionQuery(id));
  return (
    <div className="section">
      <Loaded query={session} what="the session">
        {(data) => <SessionDetail session={data} />}
      </Loaded>
    </div>
  );
}

function SessionDetail({ session }: { readonly session: ThreadSession }) {
  const questions = useQuery(questionsOfQuery(session.id));
  return (
    <>
      <RoomHead
        back={paths.threads('sessions')}
        backLabel="All sessions"
        title={sessionTitle(session)}
        badge={<SessionBadge state={session.state} />}
        meta={`On ${session.platform_id}, begun by ${session.owner.name}`}
      >
        <SessionActions session={session} />
      </RoomHead>
      <Facts session={session} />
      <h2 className="section-sub">What it asked</h2>
      <Loaded query={questions} what="its questions">
        {(list) =>
          list.length === 0 ? (
            <p className="section-none">Nothing yet.</p>
          ) : (
            <ul className="cards">
              {list.map((question) => (
                <li key={question.id}>
                  <QuestionCard question={question} isAtItsSession />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function Facts({ session }: { readonly session: ThreadSession }) {
  const rows: readonly (readonly [string, ReactNode])[] = [
    [
      'Owner',
      <span key="owner">
        <bdi>{session.owner.name}</bdi> <code>{session.owner.id}</code>
      </span>,
    ],
    [
      'Guests',
      session.participants.length === 0
        ? 'nobody was invited'
        : session.participants.map(({ id, name }) => (
            <span key={id} className="session-guest">
              <bdi>{name}</bdi> <code>{id}</code>
            </span>
          )),
    ],
    [
      'Works in',
      <code key="dir" className="breakable">
        {session.working_dir}
      </code>,
    ],
    ...(session.worktree === null
      ? []
      : [
          [
            'Branch',
            <code key="branch" className="breakable">
              {session.worktree.branch}
            </code>,
          ] as const,
        ]),
    ...(session.is_unattended ? [['Begun by', 'a routine or a watch; nobody follows it live'] as const] : []),
    ['Permissions', permissionModes[session.permission_mode]],
    [
      'Answers',
      session.mentions_only
        ? 'only what mentions it'
        : session.kind === 'thread'
          ? 'everything in its thread'
          : 'everything in its conversation',
    ],
    ['Queued', session.queued.toLocaleString()],
    ['Cost', session.cost_usd.toLocaleString(undefined, COST)],
    ['Begun', <Time key="begun" at={session.created_at} as="relative" />],
    ['Last active', <Time key="active" at={session.active_at} as="relative" />],
    ...(session.ended_at === null
      ? []
      : [['Ended', <EndedAt key="ended" session={session} at={session.ended_at} />] as const]),
  ];
  return (
    <dl className="facts session-facts">
      {rows.map(([name, value]) => (
        <div key={name} className="session-fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function EndedAt({ session, at }: { readonly session: ThreadSession; readonly at: string }) {
  return (
    <>
      <Time at={at} as="relative" />
      {session.end_reason !== null && `: ${session.end_reason}`}
    </>
  );
}

function SessionActions({ session }: { readonly session: ThreadSession }) {
  const [ending, setEnding] = useState(false);
  const client = useQueryClient();
  const toast = useToast();
  const onSettled = () => client.invalidateQueries({ queryKey: [threadsKey] });
  const interrupt = useMutation({
    mutationFn: () => threadsApi.interrupt(session.id),
    onSuccess: () => toast('Interrupted. It goes on with the next message.'),
    onError: (error) => toast(`It was not interrupted. ${errorText(error)}`, 'failed'),
    onSettled,
  });
  const end = useMutation({
    mutationFn: () => threadsApi.end(session.id),
    onSuccess() {
      toast('Ended. Its thread says so.');
      setEnding(false);
    },
    onSettled,
  });
  return (
    <>
      {session.permalink !== null && (
        <a className="button button-plain" href={session.permalink}>
          {session.kind === 'thread' ? 'Open the thread' : 'Open the conversation'}
        </a>
      )}
      <Link className="button button-plain" to={paths.threads('audit', session.id)}>
        Its record
      </Link>
      {session.state === 'active' && (
        <Button icon="pause" busy={interrupt.isPending} onClick={() => interrupt.mutate()}>
          Interrupt
        </Button>
      )}
      {session.state !== 'ended' && (
        <Button kind="danger" icon="stop" onClick={() => setEnding(true)}>
          End…
        </Button>
      )}
      {ending && (
        <ConfirmDialog
          title="End this session?"
          action="End it"
          busy={end.isPending}
          error={end.isError ? errorText(end.error) : null}
          onConfirm={() => end.mutate()}
          onClose={() => setEnding(false)}
        >
          <p>
            The agent is stopped and the thread is told. What waits for a decision counts as denied. A new
            mention begins a new session.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
