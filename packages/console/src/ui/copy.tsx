import { useState } from 'react';
import { Button } from './button.tsx';
import { useToast } from './toast.tsx';

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
  const [copied, setCopied] = useState(false);
  const toast = useToast();

  async function copy(): Promise<void> {
    const done = await copyText(text);
    setCopied(done);
    if (done) window.setTimeout(() => setCopied(false), 2000);
    else toast('The browser did not allow copying. Select the text and copy it by hand.', 'failed');
  }

  return (
    <>
      <Button icon={copied ? 'check' : 'copy'} onClick={copy}>
        {copied ? 'Copied' : label}
      </Button>
      <span className="visually-hidden" role="status">
        {copied ? 'Copied to the clipboard' : ''}
      </span>
    </>
  );
}
