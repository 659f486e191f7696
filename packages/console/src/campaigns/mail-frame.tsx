import { useEffect, useRef, useState } from 'react';
import { MAIL_FRAME } from '../assets.ts';
import { Button } from '../ui/button.tsx';
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

/** A frame within the page has the page's policy; the one that may load pictures is a page with its own. */
const WITHOUT_PICTURES = { srcDoc: '<!doctype html><html><head></head><body></body></html>' };
/** Where a browser can load a frame without anybody's cookies, it does. */
const WITH_PICTURES = { src: `/console/${MAIL_FRAME}`, credentialless: true };

/**
 * The HTML of a mail in a frame that runs no scripts, opens no forms and, until somebody asks for its pictures, loads
 * nothing from elsewhere. Neither policy allows inline styles; so the mail is built there node by node (`fillFrame`).
 */
export function MailFrame({ html, title, phone = false, pictures = nothing }: MailFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const [withheld, setWithheld] = useState(0);
  const [hasPictures, setHasPictures] = useState(false);

  useEffect(() => {
    const element = frame.current;
    const inner = element?.contentDocument;
    if (!isLoaded || element === null || inner == null) return;
    setWithheld(fillFrame(inner, html, { attached: pictures, remote: hasPictures }));
    const grow = () => {
      const height = Math.min(LONGEST, Math.max(SHORTEST, inner.documentElement.scrollHeight));
      element.style.height = `${height}px`;
    };
    element.style.height = `${SHORTEST}px`;
    grow();
    const observer = new ResizeObserver(grow);
    observer.observe(inner.body);
    return () => observer.disconnect();
  }, [html, isLoaded, pictures, hasPictures]);

  return (
    <div className={phone ? 'mail-stage mail-stage-phone' : 'mail-stage'}>
      <iframe
        key={String(hasPictures)}
        ref={frame}
        className="mail-frame"
        title={`The mail “${title}”`}
        // Same origin lets the page fill it; without scripts of its own it can do nothing with that.
        sandbox="allow-same-origin"
        {...(hasPictures ? WITH_PICTURES : WITHOUT_PICTURES)}
        onLoad={() => setLoaded(true)}
      />
      {withheld > 0 && (
        <div className="mail-withheld">
          <p className="field-hint">
            {withheld === 1 ? 'One picture from elsewhere is' : `${withheld} pictures from elsewhere are`} not
            loaded: loading it would tell its server that somebody looked.
          </p>
          <Button
            onClick={() => {
              setLoaded(false);
              setHasPictures(true);
            }}
          >
            Load pictures
          </Button>
        </div>
      )}
    </div>
  );
}
