import { useState } from 'react';
import { Button } from './button.tsx';

/** Copies to the clipboard; the old way serves pages that are not a secure context (plain http on a LAN). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  const host = document.querySelector('dialog[open]') ?? document.body;
  const before = document.activeElement;
  host.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'none' | 'copied' | 'refused'>('none');

  async function copy(): Promise<void> {
    const done = await copyText(text);
    setOutcome(done ? 'copied' : 'refused');
    if (done) window.setTimeout(() => setOutcome('none'), 2000);
  }

  return (
    <>
      <Button icon={outcome === 'copied' ? 'check' : 'copy'} onClick={copy}>
        {outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Select it and copy by hand' : label}
      </Button>
      <span className="visually-hidden" role="status">
        {outcome === 'copied' && 'Copied to the clipboard'}
        {outcome === 'refused' && 'The browser did not allow copying'}
      </span>
    </>
  );
}
