import { useQuery } from '@tanstack/react-query';
import { Fragment, useDeferredValue, useMemo, useState } from 'react';
import type { CapturedMail } from '../api/campaigns.ts';
import { byteSize } from '../lib/names.ts';
import { Link, paths } from '../router.tsx';
import { Icon } from '../ui/icons.tsx';
import { moveByArrows } from '../ui/roving.ts';
import { Loaded, LoadMore } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { MailView } from './mail-view.tsx';
import { type MailPart, mailOf, pictureAddresses } from './mime.ts';
import { ownPages } from './own-pages.ts';
import { capturedQuery, capturedRawQuery } from './queries.ts';

interface CapturedProps {
  readonly projectId: string | null;
  readonly item: string | null;
}

const PAGE = 50;
const MOST = 100;
const SHOWN_FIELDS = ['from', 'reply-to', 'to', 'date'];

/** What would have left: every mail of every project, while nothing is sent for real. */
export function CapturedSection({ projectId, item }: CapturedProps) {
  const [to, setTo] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const sought = useDeferredValue(to.trim());
  const mails = useQuery(capturedQuery(sought, limit));
  return (
    <div className="conversations captured">
      <section className="conversation-list" aria-label="Captured mail">
        <div className="captured-head">
          <h1>Captured mail</h1>
          <p className="section-intro">Kept here instead of being sent, for all projects.</p>
        </div>
        <label className="search-box">
          <span className="visually-hidden">Only mails to this address</span>
          <Icon name="search" small />
          <input
            type="search"
            className="input"
            placeholder="Only to this address"
            value={to}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => setTo(event.target.value)}
          />
        </label>
        <Loaded query={mails} what="the mails" shape="list">
          {(list) =>
            list.length === 0 ? (
              <p className="captured-none" role="status">
                {sought === ''
                  ? 'Nothing yet. Send a test or launch a campaign, and its mails stand here.'
                  : 'No mail to this address. The whole address is needed.'}
              </p>
            ) : (
              <>
                <ul className="captured-list" onKeyDown={(event) => moveByArrows(event)}>
                  {list.map((mail) => (
                    <li key={mail.id}>
                      <MailLink mail={mail} projectId={projectId} isOpen={mail.id === item} />
                    </li>
                  ))}
                </ul>
                {list.length === limit && limit < MOST && (
                  <LoadMore busy={mails.isFetching} onLoad={() => setLimit(MOST)} />
                )}
              </>
            )
          }
        </Loaded>
      </section>
      {item === null ? (
        <div className="captured-blank">
          <Empty icon="mail" title="No mail chosen">
            <p>Choose one to see it as its reader would, with its parts, header fields and source.</p>
          </Empty>
        </div>
      ) : (
        <CapturedPage key={item} id={item} projectId={projectId} />
      )}
    </div>
  );
}

interface MailLinkProps {
  readonly mail: CapturedMail;
  readonly projectId: string | null;
  readonly isOpen: boolean;
}

function MailLink({ mail, projectId, isOpen }: MailLinkProps) {
  return (
    <Link
      to={paths.campaigns(projectId, 'captured', mail.id)}
      className="captured-link"
      data-roving
      aria-current={isOpen ? 'true' : undefined}
    >
      <span className="captured-to">
        <bdi>{mail.to}</bdi>
        <Time at={mail.created_at} as="list" />
      </span>
      <span className="captured-subject">
        <bdi>{mail.subject || 'No subject'}</bdi>
      </span>
    </Link>
  );
}

function CapturedPage({ id, projectId }: { readonly id: string; readonly projectId: string | null }) {
  const raw = useQuery(capturedRawQuery(id));
  return (
    <article className="captured-mail" aria-label="The mail">
      <Link to={paths.campaigns(projectId, 'captured')} className="room-back captured-back">
        <Icon name="back" small /> All captured mail
      </Link>
      <Loaded query={raw} what="the mail">
        {(bytes) => <CapturedView bytes={bytes} />}
      </Loaded>
    </article>
  );
}

function CapturedView({ bytes }: { readonly bytes: Uint8Array }) {
  const mail = useMemo(() => mailOf(bytes), [bytes]);
  const pictures = useMemo(() => pictureAddresses(mail), [mail]);
  const pages = useMemo(() => ownPages(mail), [mail]);
  const shown = mail.headers.filter(([name]) => SHOWN_FIELDS.includes(name.toLowerCase()));
  return (
    <>
      <dl className="facts captured-facts">
        {shown.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </Fragment>
        ))}
        {pages.length > 0 && (
          <>
            <dt>Pages</dt>
            <dd>
              {pages.map(({ name, address }, index) => (
                <Fragment key={name}>
                  {index > 0 && ', '}
                  <a href={address} target="_blank" rel="noreferrer">
                    {name}
                  </a>
                </Fragment>
              ))}
            </dd>
          </>
        )}
      </dl>
      <MailView
        subject={mail.subject}
        html={mail.html}
        text={mail.text}
        headers={mail.headers}
        pictures={pictures}
        more={[
          { id: 'parts', label: 'Parts', content: <Parts part={mail.root} /> },
          { id: 'source', label: 'Source', content: <pre className="mail-source">{mail.source}</pre> },
        ]}
      />
    </>
  );
}

function Parts({ part }: { readonly part: MailPart }) {
  return (
    <ul className="mail-parts">
      <li>
        <code>{part.type}</code>
        <span className="card-meta">
          {part.name !== null && <bdi>{part.name}</bdi>}
          {part.charset !== null && <span>{part.charset}</span>}
          {part.encoding !== null && <span>{part.encoding}</span>}
          <span>{byteSize(part.body.length)}</span>
        </span>
        {part.parts.map((inner, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts never move
          <Parts key={index} part={inner} />
        ))}
      </li>
    </ul>
  );
}
