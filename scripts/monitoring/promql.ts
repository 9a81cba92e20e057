import { parser } from '@prometheus-io/lezer-promql';

export interface Matcher {
  label: string;
  operator: string;
  value: string;
}

/** A metric and the matchers of its series. */
export interface Selector {
  metric: string;
  matchers: Matcher[];
}

export interface PromqlUses {
  selectors: Selector[];
  grouped: { label: string; metrics: string[] }[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Finds the metrics and labels of a PromQL expression. @throws when it is invalid */
export function parsePromql(expression: string): PromqlUses {
  const text = ({ from, to }: Node) => expression.slice(from, to);
  const selectors: Selector[] = [];
  const grouped: PromqlUses['grouped'] = [];
  parser.parse(expression).iterate({
    enter({ node, type }) {
      if (type.isError) throw new Error(`no PromQL from character ${node.from} on: ${expression}`);
      if (type.name === 'VectorSelector') {
        selectors.push({
          metric: text(node.firstChild ?? node),
          matchers: below(node, 'UnquotedLabelMatcher').map((matcher) => ({
            label: below(matcher, 'LabelName').map(text).join(),
            operator: below(matcher, 'MatchOp').map(text).join(),
            value: below(matcher, 'StringLiteral').map(text).join().slice(1, -1),
          })),
        });
      }
      if (type.name === 'GroupingLabels' && node.parent?.parent) {
        const metrics = below(node.parent.parent, 'VectorSelector').map((each) =>
          text(each.firstChild ?? each),
        );
        for (const label of below(node, 'LabelName')) grouped.push({ label: text(label), metrics });
      }
    },
  });
  return { selectors, grouped };
}

function below(node: Node, name: string): Node[] {
  const found: Node[] = [];
  node.cursor().iterate((each) => {
    if (each.name === name && each.from >= node.from && each.to <= node.to) found.push(each.node);
  });
  return found;
}
