import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { errorText } from '../api/http.ts';
import { LONGEST_MEMORY, type Memory, type MemoryPlace, memoryApi } from '../api/memory.ts';
import { Area } from '../ui/area.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog, Dialog, FormError } from '../ui/dialog.tsx';
import { useToast } from '../ui/toast.tsx';
import { threadsKey } from './queries.ts';

interface MemoryDialogProps {
  readonly place: MemoryPlace;
  /** Null adds one. */
  readonly entry: Memory | null;
  readonly onClose: () => void;
}

export function MemoryDialog({ place, entry, onClose }: MemoryDialogProps) {
  const [text, setText] = useState(entry?.text ?? '');
  const client = useQueryClient();
  const toast = useToast();
  const save = useMutation({
    mutationFn: () => (entry === null ? memoryApi.add(place, text) : memoryApi.edit(entry.id, text)),
    onSuccess(saved) {
      toast(`Remembered as number ${saved.index}.`);
      onClose();
      return client.invalidateQueries({ queryKey: [threadsKey] });
    },
  });
  const { length } = [...text.trim().replace(/\s+/gu, ' ')];
  const isTooLong = length > LONGEST_MEMORY;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (length > 0 && !isTooLong) save.mutate();
  }

  return (
    <Dialog title={entry === null ? 'New fact' : `Number ${entry.index}`} onClose={onClose}>
      <form className="form" onSubmit={submit} noValidate>
        <Area
          label="Fact"
          rows={4}
          value={text}
          data-starts-here
          hint={`${length} of ${LONGEST_MEMORY} characters. One sentence that stands by itself, and no secrets: every agent of the channel is told of it.`}
          error={isTooLong ? `At most ${LONGEST_MEMORY} characters are kept; say it shorter.` : null}
          onChange={(event) => setText(event.target.value)}
        />
        {entry !== null && entry.source !== 'user' && (
          <p className="field-hint">An agent wrote it. Once you have changed it, it counts as yours.</p>
        )}
        {save.isError && <FormError text={`It was not saved. ${errorText(save.error)}`} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={save.isPending} disabled={length === 0 || isTooLong}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function ForgetDialog({ entry, onClose }: { readonly entry: Memory; readonly onClose: () => void }) {
  const client = useQueryClient();
  const toast = useToast();
  const forget = useMutation({
    mutationFn: () => memoryApi.forget(entry.id),
    onSuccess() {
      toast('Forgotten.');
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: [threadsKey] }),
  });
  return (
    <ConfirmDialog
      title={`Forget number ${entry.index}?`}
      action="Forget it"
      busy={forget.isPending}
      error={forget.isError ? `It was not forgotten. ${errorText(forget.error)}` : null}
      onConfirm={() => forget.mutate()}
      onClose={onClose}
    >
      <p className="memory-text">
        <bdi>{entry.text}</bdi>
      </p>
      <p>Sessions that run keep what they were told; later ones do not hear of it. The record keeps it.</p>
    </ConfirmDialog>
  );
}
