import { useMediaQuery } from '@mantine/hooks';
import { Panel, type PanelProps } from './panel.tsx';
import { useFolding } from './use-folding.ts';

interface FoldingPanelProps extends Omit<PanelProps, 'fold'> {
  /** The storage key of the reader's choice. */
  name: string;
  /** Folds the panel at first on a phone, where pages with many sections are long. */
  isFoldedOnPhone?: boolean;
}

/** Shows a panel that folds to its title. Folded content is not rendered and sends no requests. */
export function FoldingPanel({ name, isFoldedOnPhone = false, ...panel }: FoldingPanelProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, toggle] = useFolding(name, !(isPhone && isFoldedOnPhone));
  return <Panel {...panel} fold={{ isOpen, toggle }} />;
}
