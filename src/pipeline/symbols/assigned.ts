import type { Node } from 'web-tree-sitter';

/** Definitions by assignment: `const f = () => …`, `exports.f = function …`, `LIMIT = 5`. */

const functions = /^(arrow_function|function_expression|function|generator_function)$/;

/** The kind of a variable's value, if it is a function or a class. */
export function valueKind(node: Node): string | undefined {
  const type = node.childForFieldName('value')?.type ?? '';
  if (functions.test(type)) return 'function';
  return type === 'class' ? 'class' : undefined;
}

/** `const LIMITS = {…}` of a module, but not an import such as `const x = require(…)`. */
export function isTopConstant(node: Node): boolean {
  const declaration = node.parent;
  const around = declaration?.parent?.type;
  const value = node.childForFieldName('value');
  return (
    declaration?.type === 'lexical_declaration' &&
    declaration.child(0)?.type === 'const' &&
    (around === 'program' || around === 'export_statement') &&
    node.childForFieldName('name')?.type === 'identifier' &&
    value !== null &&
    !/^(await )?(require|import)\b/.test(value.text.slice(0, 20))
  );
}

export function assignedKind(node: Node, language: string): string | undefined {
  switch (node.type) {
    case 'public_field_definition':
    case 'field_definition':
      return functions.test(node.childForFieldName('value')?.type ?? '') ? 'method' : undefined;
    case 'pair':
      return node.parent?.parent?.type === 'variable_declarator' &&
        functions.test(node.childForFieldName('value')?.type ?? '')
        ? 'method'
        : undefined;
    case 'assignment_expression':
      return functions.test(node.childForFieldName('right')?.type ?? '') && assignedName(node) !== undefined
        ? 'function'
        : undefined;
    case 'function_expression':
      return node.parent?.type === 'export_statement' ? 'function' : undefined;
    case 'assignment':
      return isConstant(node, language) ? 'constant' : undefined;
    default:
      return undefined;
  }
}

/** Python by its spelling, Ruby by its grammar. */
function isConstant(node: Node, language: string): boolean {
  const left = node.childForFieldName('left');
  if (language === 'ruby') return left?.type === 'constant';
  return (
    language === 'python' &&
    node.parent?.parent?.type === 'module' &&
    left?.type === 'identifier' &&
    /^[A-Z][A-Z\d_]*$/.test(left.text)
  );
}

/** `exports.f` is f, `A.prototype.m` is A.m. */
export function assignedName(node: Node): string | undefined {
  if (node.type === 'assignment_expression') {
    const left = node.childForFieldName('left');
    if (left?.type !== 'identifier' && left?.type !== 'member_expression') return undefined;
    const name = left.text.replace(/^(?:module\.)?exports\./, '').replace('.prototype.', '.');
    return /^[\w$.#]+$/.test(name) && name !== 'module.exports' ? name : undefined;
  }
  if (node.type === 'pair') return node.childForFieldName('key')?.text;
  if (node.type === 'field_definition') return node.childForFieldName('property')?.text;
  return node.type === 'function_expression' && !node.childForFieldName('name') ? 'default' : undefined;
}
