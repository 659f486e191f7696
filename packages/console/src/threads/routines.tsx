import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '../api/http.ts';
import { type StandingTask, type TaskRun, threadsApi } from '../api/threads.ts';
import { counted } from '../lib/names.ts';
import { inZone } from '../lib/zone.ts';
import { Link, paths } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { tasksQuery, threadsKey } from './queries.ts';

type Kind = StandingTask['kind'];

const shownLabels: Readonly<Record<Kind, string>> = { routine: 'Routines', watch: 'Watches' };

/** What agents do unasked: by the clock, or when somebody writes something. */
export function RoutinesSection() {
  const [shown, setShown] = useState<Kind>('routine');
  const tasks = useQuery(tasksQuery(shown));
  return (
    <Section
      title="Routines & watches"
      intro={
        <>
          What agents do unasked. They are made in chat, by <code>!routine</code> and <code>!watch</code> or
          by an agent’s proposal that a person approves; each run is a session of its own, for whoever made
          it.
        </>
      }
    >
      <fieldset className="segmented">
        <legend className="visually-hidden">Which of them</legend>
        {(['routine', 'watch'] as const).map((kind) => (
          <button key={kind} type="button" aria-pressed={kind === shown} onClick={() => setShown(kind)}>
            {shownLabels[kind]}
          </button>
        ))}
      </fieldset>
      <Loaded query={tasks} what="what is done unasked">
        {(list) =>
          list.length === 0 ? (
            <NoTasks kind={shown} />
          ) : (
            <ul className="cards">
              {list.map((task) => (
                <li key={task.id}>
                  <TaskCard task={task} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function NoTasks({ kind }: { readonly kind: Kind }) {
  return kind === 'routine' ? (
    <Empty icon="clock" title="Nothing runs by the clock">
      <p>
        Where <code>routines</code> is on, <code>!routine</code> in the bot’s channel makes one.
      </p>
    </Empty>
  ) : (
    <Empty icon="eye" title="Nothing is watched for">
      <p>
        Where <code>watches</code> is on, <code>!watch</code> in the bot’s channel makes one.
      </p>
    </Empty>
  );
}

function TaskCard({ task }: { readonly task: StandingTask }) {
  return (
    <article className="card" aria-label={task.name}>
      <header className="card-head card-row">
        <div className="card-title">
          <h2>
            <bdi>{task.name}</bdi>
            <StateBadge task={task} />
          </h2>
          <p className="card-meta">
            <span>{task.platform_id}</span>
            <span>
              for <bdi>{task.creator.name}</bdi>
            </span>
            {task.schedule !== null && <span>{task.schedule.in_words}</span>}
          </p>
        </div>
        <TaskActions task={task} />
      </header>
      {task.condition !== null && (
        <p className="task-line">
          When <bdi>{task.condition}</bdi> <span className="task-aside">({task.keywords.join(', ')})</span>
        </p>
      )}
      {task.next_run_at !== null && task.schedule !== null && (
        <NextRun at={task.next_run_at} timezone={task.schedule.timezone} />
      )}
      {task.rest !== null && (
        <p className="task-line">
          {restWords[task.rest.why]}; ready again <Time at={task.rest.until} as="relative" />
        </p>
      )}
      {task.fault !== null && <p className="task-line">Cannot run: {task.fault}.</p>}
      {task.disabled_reason !== null && <p className="task-line">Switched off: {task.disabled_reason}.</p>}
      <details className="task-more">
        <summary>What each run is told</summary>
        <p className="task-prompt">{task.prompt}</p>
      </details>
      {task.runs.length === 0 ? (
        <p className="task-line">No runs yet</p>
      ) : (
        <details className="task-more">
          <summary>Latest {counted(task.runs.length, 'run')}</summary>
          <ul className="task-runs">
            {task.runs.map((run) => (
              <RunLine key={run.id} run={run} />
            ))}
          </ul>
        </details>
      )}
    </article>
  );
}

const restWords: Readonly<Record<NonNullable<StandingTask['rest']>['why'], string>> = {
  just_fired: 'It has just fired',
  fired_often: 'It has fired as often as it may in a day',
};

function StateBadge({ task }: { readonly task: StandingTask }) {
  if (task.is_enabled && task.fault !== null) return <Badge kind="danger">cannot run</Badge>;
  if (task.is_enabled && task.rest !== null) return <Badge kind="plain">rests</Badge>;
  if (task.is_enabled) return <Badge kind="good">on</Badge>;
  return task.disabled_reason === null ? (
    <Badge kind="plain">paused</Badge>
  ) : (
    <Badge kind="danger">off</Badge>
  );
}

/** On the reader's clock and on the routine's own, where they are not the same. */
function NextRun({ at, timezone }: { readonly at: string; readonly timezone: string }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <p className="task-line">
      Next <Time at={at} as="relative" />: {inZone(at, own)} for you
      {own !== timezone && `, ${inZone(at, timezone)} in ${timezone}`}
    </p>
  );
}

const outcomeWords: Readonly<Record<NonNullable<TaskRun['outcome']>, string>> = {
  succeeded: 'done',
  failed: 'failed',
  stopped: 'stopped',
  missed: 'left out',
  no_match: 'set nothing off',
};

function RunLine({ run }: { readonly run: TaskRun }) {
  const word =
    run.outcome === null ? (run.state === 'running' ? 'running' : 'due') : outcomeWords[run.outcome];
  return (
    <li>
      <Time at={run.due_at} as="relative" />: {run.count > 1 ? `${word} (${run.count} runs)` : word}
      {run.detail !== null && `, ${run.detail}`}{' '}
      {run.session_id !== null && <Link to={paths.threads('sessions', run.session_id)}>its session</Link>}
    </li>
  );
}

function TaskActions({ task }: { readonly task: StandingTask }) {
  const [deleting, setDeleting] = useState(false);
  const client = useQueryClient();
  const toast = useToast();
  const onSettled = () => client.invalidateQueries({ queryKey: [threadsKey] });
  const pause = useMutation({
    mutationFn: () => (task.is_enabled ? threadsApi.pauseTask(task.id) : threadsApi.resumeTask(task.id)),
    onError: (error) => toast(`Nothing was changed. ${errorText(error)}`, 'failed'),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => threadsApi.deleteTask(task.id),
    onSuccess: () => setDeleting(false),
    onSettled,
  });
  return (
    <div className="task-actions">
      <Button icon={task.is_enabled ? 'pause' : 'play'} busy={pause.isPending} onClick={() => pause.mutate()}>
        {task.is_enabled ? 'Pause' : 'Resume'}
      </Button>
      <Button icon="trash" onClick={() => setDeleting(true)}>
        Delete…
      </Button>
      {deleting && (
        <ConfirmDialog
          title={`Delete “${task.name}”?`}
          action="Delete it"
          busy={remove.isPending}
          error={remove.isError ? errorText(remove.error) : null}
          onConfirm={() => remove.mutate()}
          onClose={() => setDeleting(false)}
        >
          <p>It does not run any more, and the list of its runs goes with it. Sessions it has begun go on.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
