import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorText } from '../api/http.ts';
import { type Question, threadsApi } from '../api/threads.ts';
import { glyphOf } from '../lib/emoji.ts';
import { Link, paths } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { closedQuestionsQuery, openQuestionsQuery, threadsKey } from './queries.ts';
import { approversText, decisionText, isYes, questionKind } from './words.tsx';

type Shown = 'open' | 'closed';

const shownLabels: Readonly<Record<Shown, string>> = { open: 'Waiting', closed: 'Decided' };

/** What agents wait for. An answer here counts as one by reaction does, and is on record with the operator's name. */
export function QuestionsSection() {
  const [shown, setShown] = useState<Shown>('open');
  const questions = useQuery(shown === 'open' ? openQuestionsQuery : closedQuestionsQuery);
  return (
    <Section
      title="To decide"
      intro="Agents wait here for a person, as they do in their threads. Whoever answers first has decided; the record says who."
    >
      <fieldset className="segmented">
        <legend className="visually-hidden">Which questions</legend>
        {(['open', 'closed'] as const).map((name) => (
          <button key={name} type="button" aria-pressed={name === shown} onClick={() => setShown(name)}>
            {shownLabels[name]}
          </button>
        ))}
      </fieldset>
      <Loaded query={questions} what="the questions">
        {(list) => <QuestionList questions={list} shown={shown} />}
      </Loaded>
    </Section>
  );
}

function QuestionList({
  questions,
  shown,
}: {
  readonly questions: readonly Question[];
  readonly shown: Shown;
}) {
  if (questions.length === 0) {
    return shown === 'open' ? (
      <Empty icon="check" title="Nothing waits for you">
        <p>
          When an agent needs a permission, has a plan or asks something, it stands here and in its thread.
        </p>
      </Empty>
    ) : (
      <Empty icon="list" title="Nothing was decided yet">
        <p>Answered, expired and withdrawn questions stand here with who decided them.</p>
      </Empty>
    );
  }
  return (
    <ul className="cards">
      {questions.map((question) => (
        <li key={question.id}>
          <QuestionCard question={question} />
        </li>
      ))}
    </ul>
  );
}

interface QuestionCardProps {
  readonly question: Question;
  /** Whether it stands on the page of its session. */
  readonly isAtItsSession?: boolean;
}

export function QuestionCard({ question, isAtItsSession = false }: QuestionCardProps) {
  const isOpen = question.state === 'open';
  return (
    <article className="card" aria-label={`${questionKind(question)}: ${question.title}`}>
      <header className="card-head">
        <div className="card-title">
          <h2>
            {questionKind(question)}
            {question.tool !== null && <code className="question-tool">{question.tool}</code>}
            {!isOpen && <StateBadge question={question} />}
          </h2>
          <p className="card-meta">
            <span>{question.platform_id}</span>
            {question.session_id !== null && !isAtItsSession && (
              <Link to={paths.threads('sessions', question.session_id)}>its session</Link>
            )}
            <Time at={question.created_at} as="relative" />
          </p>
        </div>
      </header>
      <div className="question-text">
        <Markdown text={question.markdown} />
      </div>
      {isOpen ? (
        <Answers question={question} />
      ) : (
        <p className="question-outcome">{decisionText(question)}.</p>
      )}
    </article>
  );
}

function StateBadge({ question }: { readonly question: Question }) {
  if (question.state === 'expired') return <Badge kind="warn">expired</Badge>;
  if (question.state === 'withdrawn') return <Badge>withdrawn</Badge>;
  const isNo = question.decision?.option === 'deny';
  return <Badge kind={isNo ? 'danger' : 'good'}>{isNo ? 'denied' : 'decided'}</Badge>;
}

function Answers({ question }: { readonly question: Question }) {
  const client = useQueryClient();
  const toast = useToast();
  const answer = useMutation({
    mutationFn: (option: string) => threadsApi.answer(question.id, option),
    onSuccess: () => toast('Answered. The thread says who decided it.'),
    onError: (error) => toast(`It was not answered. ${errorText(error)}`, 'failed'),
    onSettled: () => client.invalidateQueries({ queryKey: [threadsKey] }),
  });
  return (
    <footer className="question-answers">
      <div className="question-options">
        {question.options.map(({ key, emoji, label }) => (
          <Button
            key={key}
            kind={isYes(key) ? 'primary' : 'plain'}
            busy={answer.isPending && answer.variables === key}
            onClick={() => answer.mutate(key)}
          >
            {emoji !== null && <span aria-hidden="true">{glyphOf(emoji)} </span>}
            {label}
          </Button>
        ))}
      </div>
      <p className="card-meta">
        <span>In the thread, {approversText(question)} may answer.</span>
        <span>
          Closes <Time at={question.deadline_at} as="relative" />
        </span>
      </p>
    </footer>
  );
}
