import { NativeSelect } from '@mantine/core';
import { FormDialog } from './form-dialog.tsx';
import { useForm } from './use-form.ts';

type Field = ReturnType<ReturnType<typeof useForm<string>>['field']>;

/** Value of the field for a key that does not use the cache. */
export const CACHE_OFF = 'off';
const CHOICES = [
  { value: CACHE_OFF, label: 'Off' },
  { value: 'read, write; ttl=3600', label: 'On, for an hour' },
  { value: 'read, write; ttl=86400', label: 'On, for a day' },
  { value: 'read, write; ttl=604800', label: 'On, for a week' },
];

/** Describes the cache of a key. @param cache null: off */
export function cacheText(cache: string | null): string {
  return CHOICES.find(({ value }) => value === (cache ?? CACHE_OFF))?.label ?? `On: ${cache}`;
}

/** Converts the value of the field. @returns null: off */
export function cacheOf(value: string): string | null {
  return value === CACHE_OFF ? null : value;
}

/** @param field that of a form @param current directives of the key, which may not be among the choices */
export function CacheField({ current, field }: { current?: string; field: Field }) {
  const isChoice = current === undefined || CHOICES.some(({ value }) => value === current);
  return (
    <NativeSelect
      label="Cache"
      description="Requests that are equal to an earlier one get its answer, at no cost."
      data={isChoice ? CHOICES : [...CHOICES, { value: current, label: cacheText(current) }]}
      {...field}
    />
  );
}

interface KeyCacheDialogProps {
  name: string;
  /** Null: off. */
  cache: string | null;
  save: (cache: string | null) => Promise<unknown>;
  onClose: () => void;
}

export function KeyCacheDialog({ name, cache, save, onClose }: KeyCacheDialogProps) {
  const current = cache ?? CACHE_OFF;
  const form = useForm({
    fields: { cache: current },
    check: () => ({}),
    send: async (values) => {
      await save(cacheOf(values.cache));
      onClose();
    },
  });
  return (
    <FormDialog opened title={`Cache of ${name}`} submitLabel="Save" form={form} onClose={onClose}>
      <CacheField current={current} field={form.field('cache')} />
    </FormDialog>
  );
}
