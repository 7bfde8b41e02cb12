import type { SyntaxNode } from 'unbash';

/** Does a plain `sh` (dash) read this differently than bash, whose grammar the parser follows? */
export function bashOnly(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'TestCommand':
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'Select':
    case 'Coproc':
    case 'ProcessSubstitution':
    case 'ExtendedGlob':
    case 'AnsiCQuoted':
    case 'LocaleString':
    case 'HereString':
    case 'ArrayValue':
    case 'FileDescriptorVariable':
      return true;
    case 'Assignment':
      return node.append === true || node.index !== undefined;
    case 'Redirect':
      return (
        node.operator.startsWith('&>') ||
        (node.operator === '>&' && !/^(\d+|-)$/.test(node.target?.text ?? ''))
      );
    case 'Pipeline':
      return node.operators.includes('|&');
    case 'CaseItem':
      return node.terminator === ';&' || node.terminator === ';;&';
    case 'ParameterExpansion':
      return (
        node.index !== undefined ||
        node.prefix === '!' ||
        /^(Replace|Slice|CaseModification|Transform|Names|Unknown)$/.test(node.operation?.type ?? '')
      );
    default:
      return false;
  }
}
