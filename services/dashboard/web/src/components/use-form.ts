import { type ChangeEvent, useState } from 'react';
import { useAction } from '../api/use-action.ts';

type Values<Name extends string> = Record<Name, string>;
type Problems<Name extends string> = Partial<Record<Name, string | undefined>>;
type SetValues<Name extends string> = (change: Partial<Values<Name>>) => void;

interface FormOptions<Name extends string> {
  /** The initial values. */
  fields: Values<Name>;
  /** Finds problems, by field, before anything is sent. */
  check: (values: Values<Name>) => Problems<Name>;
  send: (values: Values<Name>, set: SetValues<Name>) => Promise<void>;
}

/** Holds the values and problems of a form, and sends it. */
export function useForm<Name extends string>({ fields, check, send }: FormOptions<Name>) {
  const [values, setValues] = useState(fields);
  const [problems, setProblems] = useState<Problems<Name>>({});
  const set: SetValues<Name> = (change) => setValues((old) => ({ ...old, ...change }));
  const { run, isPending, error, clearError } = useAction(() => send(values, set));
  return {
    values,
    set,
    problems,
    isPending,
    error,
    submit: () => {
      const found = check(values);
      setProblems(found);
      if (Object.values(found).every((problem) => problem === undefined)) run();
    },
    clearProblems: () => {
      setProblems({});
      clearError();
    },
    /** Returns the properties of a text field or select. */
    field: (name: Name) => ({
      name,
      value: values[name],
      error: problems[name],
      onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
        setValues((old) => ({ ...old, [name]: value })),
    }),
  };
}

export type FormState = Pick<
  ReturnType<typeof useForm<string>>,
  'problems' | 'isPending' | 'error' | 'submit' | 'clearProblems'
>;
