import { useEffect, useRef, useState } from 'react';
import { fillFrame } from './mail-html.ts';

interface MailFrameProps {
  readonly html: string;
  readonly title: string;
  readonly phone?: boolean;
  readonly pictures?: ReadonlyMap<string, string>;
}

const nothing: ReadonlyMap<string, string> = new Map();
const SHORTEST = 240;
const LONGEST = 4_000;

/**
 * The HTML of a mail in a frame that runs no scripts, opens no forms and loads nothing from elsewhere. The page's
 * policy holds in it too, which allows no inline styles; so the mail is built there node by node (`fillFrame`).
 */
export function MailFrame({ html, title, phone = false, pictures = nothing }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const [withheld, setWithheld] = useState(0);

  useEffect(() => {
    const element = frame.current;
    const inner = element?.contentDocument;
    if (!isLoaded || element === null || inner == null) return;
    setWithheld(fillFrame(inner, html, pictures));
    const grow = () => {
      const height = Math.min(LONGEST, Math.max(SHORTEST, inner.documentElement.scrollHeight));
      element.style.height = `${height}px`;
    };
    element.style.height = `${SHORTEST}px`;
    grow();
    const observer = new ResizeObserver(grow);
    observer.observe(inner.body);
    return () => observer.disconnect();
  }, [html, isLoaded, pictures]);

  return (
    <div className={phone ? 'mail-stage mail-stage-phone' : 'mail-stage'}>
      <iframe
        ref={frame}
        className="mail-frame"
        title={`The mail “${title}”`}
        // Same origin lets the page fill it; without scripts of its own it can do nothing with that.
        sandbox="allow-same-origin"
        srcDoc="<!doctype html><html><head></head><body></body></html>"
        onLoad={() => setLoaded(true)}
      />
      {withheld > 0 && (
        <p className="field-hint">
          {withheld === 1 ? 'One picture from elsewhere is' : `${withheld} pictures from elsewhere are`} not
          loaded here: loading it would tell its server that somebody looked.
        </p>
      )}
    </div>
  );
}
