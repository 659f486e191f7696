import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { LocalMessage, Person } from '../api/local.ts';
import { plainText } from '../lib/markdown.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { useToast } from '../ui/toast.tsx';
import { PendingFiles } from './attachments.tsx';
import { type Draft, draftTexts, readDraft, writeDraft } from './drafts.ts';
import { EmojiPicker } from './emoji-picker.tsx';
import { outgoingFiles, refusedFiles } from './files.ts';
import { fitHeight } from './fit-height.ts';
import { MentionList, type MentionQuery, matchingPeople, mentionAt } from './mentions.tsx';

export interface ComposerProps {
  readonly draftKey: string;
  readonly label: string;
  readonly people: readonly Person[];
  /** A message of this channel or thread, when it is loaded. */
  readonly findMessage: (id: string) => LocalMessage | undefined;
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly onSend: (draft: Draft) => void;
  readonly onEditLast: () => void;
  readonly onEscape: () => void;
}

/** A draft and a way to change it; every composer of the same key shows the same one. */
export function useDraft(key: string): readonly [Draft, (change: Partial<Draft>) => void] {
  useSyncExternalStore(draftTexts.subscribe, draftTexts.read);
  const draft = readDraft(key);
  return [draft, (change) => writeDraft(key, { ...readDraft(key), ...change })];
}

export function Composer(props: ComposerProps) {
  const { input } = props;
  const [draft, setDraft] = useDraft(props.draftKey);
  const [picker, setPicker] = useState<HTMLElement | null>(null);
  const [mention, setMention] = useState<MentionQuery | null>(null);
  const [choice, setChoice] = useState(0);
  const fileInput = useRef<HTMLInputElement>(null);
  const toast = useToast();
  const listId = useId();

  const candidates = mention === null ? [] : matchingPeople(props.people, mention.text);
  const replyTo = draft.replyTo === null ? undefined : props.findMessage(draft.replyTo);
  const ready = draft.text.trim() !== '' || draft.files.length > 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useEffect(() => {
    if (input.current !== null) fitHeight(input.current);
  }, [draft.text, input]);

  function send(): void {
    if (!ready) return;
    const sent = readDraft(props.draftKey);
    setDraft({ text: '', files: [], replyTo: null });
    setMention(null);
    props.onSend(sent);
    input.current?.focus();
  }

  function addFiles(files: Iterable<File>): void {
    const list = [...files];
    const refusal = refusedFiles(draft.files, list);
    if (refusal !== null) {
      toast(refusal, 'failed');
      return;
    }
    setDraft({ files: [...draft.files, ...outgoingFiles(list)] });
    input.current?.focus();
  }

  function insert(text: string, from: number, to: number): void {
    const before = readDraft(props.draftKey).text;
    setDraft({ text: before.slice(0, from) + text + before.slice(to) });
    const caret = from + text.length;
    // The box takes the new text with the next frame; the caret has to follow it.
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(caret, caret);
    });
  }

  function choosePerson(person: Person): void {
    if (mention === null) return;
    insert(`@${person.id} `, mention.from, mention.to);
    setMention(null);
  }

  function onChange(area: HTMLTextAreaElement): void {
    setDraft({ text: area.value });
    setMention(mentionAt(area.value, area.selectionStart));
    setChoice(0);
  }

  function onMentionKey(event: KeyboardEvent): boolean {
    if (mention === null || candidates.length === 0) return false;
    if (event.key === 'ArrowDown') setChoice((choice + 1) % candidates.length);
    else if (event.key === 'ArrowUp') setChoice((choice + candidates.length - 1) % candidates.length);
    else if (event.key === 'Enter' || event.key === 'Tab') {
      const person = candidates[choice];
      if (person !== undefined) choosePerson(person);
    } else if (event.key === 'Escape') setMention(null);
    else return false;
    return true;
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing) return;
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (onMentionKey(event)) event.preventDefault();
    else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    } else if (event.key === 'ArrowUp' && plain && draft.text === '') {
      event.preventDefault();
      props.onEditLast();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      if (draft.replyTo !== null) setDraft({ replyTo: null });
      else props.onEscape();
    }
  }

  function onPaste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files];
    // A copied table or page comes as text and as a picture of it; the text is what is meant.
    if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return;
    event.preventDefault();
    addFiles(files);
  }

  return (
    <div className="composer">
      {mention !== null && (
        <MentionList id={listId} people={candidates} choice={choice} onChoose={choosePerson} />
      )}
      {draft.replyTo !== null && (
        <div className="composer-reply">
          <Icon name="reply" small />
          <p>
            Reply to <bdi>{replyTo?.user.name ?? 'a message'}</bdi>
            <span>{replyTo === undefined ? '' : plainText(replyTo.text) || 'a file'}</span>
          </p>
          <IconButton icon="close" label="Cancel the reply" onClick={() => setDraft({ replyTo: null })} />
        </div>
      )}
      <PendingFiles
        files={draft.files}
        onRemove={(key) => {
          setDraft({ files: draft.files.filter((file) => file.key !== key) });
          input.current?.focus();
        }}
      />
      <div className="composer-row">
        <IconButton icon="clip" label="Attach files" onClick={() => fileInput.current?.click()} />
        <input
          ref={fileInput}
          type="file"
          multiple
          hidden
          aria-label="Files to attach"
          onChange={(event) => {
            addFiles(event.target.files ?? []);
            event.target.value = '';
          }}
        />
        <textarea
          ref={input}
          rows={1}
          dir="auto"
          value={draft.text}
          placeholder={props.label}
          aria-label={props.label}
          aria-autocomplete="list"
          aria-controls={candidates.length > 0 ? listId : undefined}
          aria-activedescendant={candidates.length > 0 ? `${listId}-${choice}` : undefined}
          enterKeyHint="send"
          onChange={(event) => onChange(event.target)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onBlur={() => setMention(null)}
        />
        <IconButton
          icon="smile"
          label="Insert an emoji"
          aria-haspopup="dialog"
          onClick={(event) => setPicker(event.currentTarget)}
        />
        <button
          type="button"
          className="send-button"
          aria-label="Send"
          title="Send (Enter)"
          aria-disabled={!ready || undefined}
          onClick={send}
        >
          <Icon name="send" />
        </button>
      </div>
      {picker !== null && (
        <EmojiPicker
          anchor={picker}
          onClose={() => setPicker(null)}
          onPick={(_name, glyph) => {
            const at = input.current?.selectionStart ?? draft.text.length;
            insert(glyph, at, input.current?.selectionEnd ?? at);
          }}
        />
      )}
    </div>
  );
}
