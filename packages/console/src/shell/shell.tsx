import { type MouseEvent, type ReactNode, useState } from 'react';
import type { Session } from '../api/session.ts';
import { useUnreadTotal } from '../chat/unread.ts';
import { useQuarantineCount } from '../inbox/queries.ts';
import { Link, paths, type Route } from '../router.tsx';
import { useThreadEvents } from '../threads/live.ts';
import { useOpenQuestions } from '../threads/queries.ts';
import { CountBadge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon, type IconName, PosternMark } from '../ui/icons.tsx';
import { useHotkeys } from './hotkeys.ts';
import { SettingsDialog } from './settings.tsx';
import { ShortcutsDialog } from './shortcuts.tsx';
import { applyTheme, chosenTheme, useShownTheme } from './theme.ts';

interface ShellProps {
  readonly session: Session;
  readonly route: Route;
  readonly children: ReactNode;
}

type OpenDialog = 'settings' | 'shortcuts' | null;

/** The frame of every page: navigation on the left, or at the bottom of a narrow screen. */
export function Shell({ session, route, children }: ShellProps) {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const unread = useUnreadTotal();
  const quarantined = useQuarantineCount(session.services.inbox);
  const questions = useOpenQuestions(session.services.threads);
  useThreadEvents(session.services.threads);
  useHotkeys({ '?': () => setDialog('shortcuts') });

  // Inside a conversation a phone has no room for the bar; the way back is in the conversation's head.
  const deep =
    (route.page === 'chat' && route.channel !== null) ||
    ((route.page === 'inbox' || route.page === 'campaigns' || route.page === 'threads') &&
      route.item !== null);
  return (
    <div className="shell" data-deep={deep || undefined}>
      {/* biome-ignore lint/a11y/useValidAnchor: a skip link is a link; the handler keeps `#main` out of the history */}
      <a className="skip-link" href="#main" onClick={skip}>
        Skip to content
      </a>
      <nav className="rail" aria-label="Main">
        <Link to={paths.chat()} className="rail-brand" aria-label="Postern, start page">
          <PosternMark />
        </Link>
        <div className="rail-links">
          <RailLink to={paths.chat()} icon="chat" label="Chat" current={route.page === 'chat'}>
            <CountBadge count={unread} label="unread" />
          </RailLink>
          {session.services.inbox && (
            <RailLink to={paths.inbox()} icon="inbox" label="Inbox" current={route.page === 'inbox'}>
              <CountBadge count={quarantined} label="in quarantine" />
            </RailLink>
          )}
          {session.services.threads && (
            <RailLink to={paths.threads()} icon="agent" label="Sessions" current={route.page === 'threads'}>
              <CountBadge count={questions} label="to decide" />
            </RailLink>
          )}
          {session.services.campaigns && (
            <RailLink
              to={paths.campaigns(null)}
              icon="megaphone"
              label="Campaigns"
              current={route.page === 'campaigns'}
            />
          )}
        </div>
        <div className="rail-foot">
          <ThemeToggle />
          <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={() => setDialog('shortcuts')} />
          <button type="button" className="rail-link rail-more" onClick={() => setDialog('settings')}>
            <span className="rail-icon">
              <Icon name="sliders" />
            </span>
            <span>Settings</span>
          </button>
        </div>
      </nav>
      <main id="main" className="main" tabIndex={-1}>
        {children}
      </main>
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={() => setDialog(null)} />}
      {dialog === 'settings' && (
        <SettingsDialog
          session={session}
          onClose={() => setDialog(null)}
          onShortcuts={() => setDialog('shortcuts')}
        />
      )}
    </div>
  );
}

function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

interface RailLinkProps {
  readonly to: string;
  readonly icon: IconName;
  readonly label: string;
  readonly current: boolean;
  readonly children?: ReactNode;
}

function RailLink({ to, icon, label, current, children }: RailLinkProps) {
  return (
    <Link to={to} className="rail-link" aria-current={current ? 'page' : undefined}>
      <span className="rail-icon">
        <Icon name={icon} />
        {children}
      </span>
      <span>{label}</span>
    </Link>
  );
}

function ThemeToggle() {
  const shown = useShownTheme();
  const next = shown === 'dark' ? 'light' : 'dark';
  return (
    <IconButton
      icon={next === 'dark' ? 'moon' : 'sun'}
      label={`Switch to the ${next} theme`}
      onClick={() => {
        chosenTheme.write(next);
        applyTheme();
      }}
    />
  );
}
