import type { Node } from 'web-tree-sitter';
import { assignedName } from './assigned.ts';

export function nameOf(node: Node): string | undefined {
  if (node.type === 'impl_item') {
    const type = node.childForFieldName('type')?.text;
    const trait = node.childForFieldName('trait')?.text;
    return type === undefined ? undefined : tidy(trait === undefined ? type : `${trait} for ${type}`);
  }
  if (node.type === 'method_declaration' && node.childForFieldName('receiver')) {
    // Go: a method is named after its type.
    const receiver = /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(node.childForFieldName('receiver')?.text ?? '')?.[1];
    const name = node.childForFieldName('name')?.text;
    return receiver && name ? `${receiver}.${name}` : name;
  }
  const assigned = assignedName(node);
  if (assigned !== undefined) return tidy(assigned);
  const named = node.childForFieldName('name') ?? node.childForFieldName('left');
  if (named && node.type === 'destructor_declaration') return `~${named.text}`;
  if (named) return tidy(named.text);
  if (node.type === 'class' && node.parent?.type === 'export_statement') return 'default';
  if (node.type === 'init_declaration' || node.type === 'secondary_constructor') return 'init';
  const declared = declarator(node.childForFieldName('declarator'));
  if (declared) return tidy(declared);
  // Kotlin: `val name: Type`.
  const variable = node.namedChildren.find((child) => child?.type === 'variable_declaration');
  const word = (variable ?? node).namedChildren.find(
    (child) => child && /^(simple_identifier|type_identifier|identifier|constant|name)$/.test(child.type),
  );
  return word ? tidy(word.text) : undefined;
}

/** C nests the name in its declarator: `int *(*name)(void)`. */
function declarator(start: Node | null): string | undefined {
  let node = start;
  for (let depth = 0; node && depth < 20; depth++) {
    if (node.type === 'operator_cast') return node.text.replace(/\s*\(.*$/s, '');
    const inner = innerDeclarator(node);
    if (!inner) return node.text;
    node = inner;
  }
  return undefined;
}

function innerDeclarator(node: Node): Node | null {
  const wraps = node.type === 'parenthesized_declarator' || node.type === 'reference_declarator';
  return node.childForFieldName('declarator') ?? (wraps ? (node.namedChildren.at(-1) ?? null) : null);
}

/** `void m() const;` in a class: a method whose body is elsewhere. Excludes pointers to functions. */
export function declaresMethod(node: Node): boolean {
  if (node.type !== 'field_declaration' && node.type !== 'declaration') return false;
  for (let inner = node.childForFieldName('declarator'); inner; inner = innerDeclarator(inner)) {
    if (inner.type === 'operator_cast') return true;
    if (inner.type === 'function_declarator')
      return inner.childForFieldName('declarator')?.type !== 'parenthesized_declarator';
  }
  return false;
}

function tidy(name: string): string {
  return name.replace(/\s+/g, ' ').slice(0, 200);
}
