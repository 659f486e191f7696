import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from '../router.tsx';
import { CountBadge } from './badge.tsx';
import { Icon, type IconName } from './icons.tsx';
import { moveByArrows } from './roving.ts';

export interface RoomSection {
  readonly label: string;
  readonly icon: IconName;
}

interface RoomNavProps<Name extends string> {
  /** What the room is called to those who hear the page. */
  readonly label: string;
  readonly heading: ReactNode;
  readonly sections: Readonly<Record<Name, RoomSection>>;
  readonly open: Name;
  readonly pathOf: (section: Name) => string;
  /** How much waits for somebody in a section. */
  readonly waiting?: Readonly<Partial<Record<Name, number>>>;
}

/** The sections of a service on the left; on a phone a strip above. Names the page by the one that is open. */
export function RoomNav<Name extends string>(props: RoomNavProps<Name>) {
  const { label, heading, sections, open, pathOf, waiting } = props;
  const links = useRef<HTMLDivElement>(null);
  const title = sections[open].label;
  const counts = Object.values(waiting ?? {}).join();
  useEffect(() => {
    document.title = `${title} · Postern`;
  }, [title]);

  // The strip scrolls; the section that is open must be in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts make links wider when they come.
  useEffect(() => {
    const strip = links.current;
    const link = strip?.querySelector<HTMLElement>(`[data-section="${open}"]`);
    if (strip == null || link == null) return;
    strip.scrollLeft = link.offsetLeft - (strip.clientWidth - link.offsetWidth) / 2;
  }, [open, counts]);

  const names = Object.keys(sections) as Name[];
  return (
    <nav className="pane inbox-nav" aria-label={label} onKeyDown={(event) => moveByArrows(event)}>
      {heading}
      <div className="inbox-links" ref={links}>
        {names.map((name) => (
          <Link
            key={name}
            to={pathOf(name)}
            className="inbox-link"
            data-roving
            data-section={name}
            aria-current={name === open ? 'page' : undefined}
          >
            <Icon name={sections[name].icon} small />
            <span>{sections[name].label}</span>
            <CountBadge count={waiting?.[name] ?? 0} label="waiting" />
          </Link>
        ))}
      </div>
    </nav>
  );
}

export function RoomTitle({ children }: { readonly children: ReactNode }) {
  return (
    <header className="pane-head">
      <div className="pane-title">
        <h2>{children}</h2>
      </div>
    </header>
  );
}
