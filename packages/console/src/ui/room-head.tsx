import type { ReactNode } from 'react';
import { Link } from '../router.tsx';
import { Icon } from './icons.tsx';

interface RoomHeadProps {
  readonly back: string;
  readonly backLabel: string;
  readonly title: string;
  readonly badge?: ReactNode;
  readonly meta?: ReactNode;
  readonly children?: ReactNode;
}

/** Head of a page about one thing: the way back, its name, and what can be done with it. */
export function RoomHead({ back, backLabel, title, badge, meta, children }: RoomHeadProps) {
  return (
    <header className="room-head">
      <div>
        <Link to={back} className="room-back">
          <Icon name="back" small /> {backLabel}
        </Link>
        <h1>
          <bdi>{title}</bdi>
          {badge}
        </h1>
        {meta != null && <p className="section-intro">{meta}</p>}
      </div>
      <div className="room-actions">{children}</div>
    </header>
  );
}
