import { useMediaQuery } from '@mantine/hooks';
import { Panel, type PanelProps } from './panel.tsx';
import { useFolding } from './use-folding.ts';

interface FoldingPanelProps extends Omit<PanelProps, 'fold'> {
  /** By which the choice of whoever folds it is remembered. */
  name: string;
  /** A page of many sections has no end on a phone: there only the important ones begin unfolded. */
  isFoldedOnPhone?: boolean;
}

/** A part of a page that can be folded up to its title. What is folded is not there at all, and asks the server nothing. */
export function FoldingPanel({ name, isFoldedOnPhone = false, ...panel }: FoldingPanelProps) {
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, toggle] = useFolding(name, !(isPhone && isFoldedOnPhone));
  return <Panel {...panel} fold={{ isOpen, toggle }} />;
}
