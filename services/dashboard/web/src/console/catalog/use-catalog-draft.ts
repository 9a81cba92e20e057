import { useMemo, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { changeManagement } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { type LineProblem, problemsOf, readCatalog } from './catalog-text.ts';
import type { Plan } from './plan-panel.tsx';

interface Planned {
  plan: Plan;
  document: Record<string, unknown>;
  /** Version of the catalog that the plan was made for. */
  etag: string | undefined;
}

/** Holds a catalog that the user edits, its plan and its problems. @param begin returns the first text */
export function useCatalogDraft(begin: () => string) {
  const [text, setText] = useState(begin);
  const [planned, setPlanned] = useState<Planned | null>(null);
  const [applied, setApplied] = useState<number | null>(null);
  const [found, setFound] = useState<LineProblem[]>([]);
  const catalog = useMemo(() => readCatalog(text), [text]);

  const plan = useAction(async () => {
    setPlanned(null);
    setApplied(null);
    setFound([]);
    if (catalog.problems.length > 0) return;
    const document: Record<string, unknown> = catalog.document.toJS() ?? {};
    try {
      const { body, etag } = await changeManagement('planCatalog', { body: document });
      setPlanned({ plan: body, document, etag });
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) setFound(problemsOf(error.message, catalog));
      throw error;
    }
  });

  const apply = useAction(async () => {
    if (planned === null) return;
    const { document, etag } = planned;
    const { body } = await changeManagement('applyCatalog', { body: document }, { etag });
    setPlanned(null);
    await refreshManagement();
    setApplied(body.revision);
  });

  return {
    text,
    catalog,
    plan,
    apply,
    applied,
    planned: planned?.plan ?? null,
    problems: [...catalog.problems, ...found],
    /** Changes the text; the plan was for the one before. */
    change: (edit: (text: string) => string) => {
      setText(edit(text));
      setPlanned(null);
      setFound([]);
      setApplied(null);
    },
  };
}
