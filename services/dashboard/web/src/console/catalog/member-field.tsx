import { NativeSelect, TextInput } from '@mantine/core';
import { type Path, textAt, type ValueKind, withValue } from './catalog-text.ts';
import type { Editing } from './editing.ts';

interface MemberFieldProps {
  editing: Editing;
  path: Path;
  label: string;
  kind?: ValueKind;
  description?: string;
  /** Values to choose from; left out: any text. */
  options?: readonly string[];
}

/** Edits one member of the catalog, when the field is left. */
export function MemberField({ editing, path, label, kind = 'text', description, options }: MemberFieldProps) {
  const value = textAt(editing.catalog, path);
  const save = (changed: string) => {
    if (changed !== value) editing.change((text) => withValue(text, path, changed, kind));
  };
  const common = { label, disabled: editing.isReadOnly, ...(description !== undefined && { description }) };
  if (options !== undefined)
    return (
      <NativeSelect
        {...common}
        value={value}
        data={value === '' || !options.includes(value) ? [value, ...options] : [...options]}
        onChange={({ currentTarget }) => save(currentTarget.value)}
      />
    );
  return (
    <TextInput
      key={`${path.join('.')} ${value}`}
      {...common}
      defaultValue={value}
      onBlur={({ currentTarget }) => save(currentTarget.value)}
      onKeyDown={({ currentTarget, key }) => key === 'Enter' && save(currentTarget.value)}
    />
  );
}
