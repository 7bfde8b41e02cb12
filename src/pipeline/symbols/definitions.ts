import type { Node } from 'web-tree-sitter';
import { assignedKind, isTopConstant, valueKind } from './assigned.ts';
import type { CodeSymbol } from './symbol.ts';
import { declaresMethod, nameOf } from './symbol-names.ts';

/** Node types that define something, by kind; they mean the same in every grammar that has them. */
const kinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    class:
      'class_declaration abstract_class_declaration class_definition class_specifier class object_declaration record_declaration singleton_class',
    interface: 'interface_declaration protocol_declaration annotation_type_declaration',
    struct:
      'struct_item struct_specifier struct_declaration union_item union_specifier record_struct_declaration',
    enum: 'enum_declaration enum_item enum_specifier',
    trait: 'trait_item trait_declaration',
    module:
      'internal_module module mod_item namespace_definition namespace_declaration file_scoped_namespace_declaration impl_item',
    function:
      'function_declaration generator_function_declaration function_definition function_item function_signature function_signature_item local_function_statement',
    method:
      'method_definition abstract_method_signature method_signature method_declaration constructor_declaration method singleton_method init_declaration protocol_function_declaration method_elem destructor_declaration secondary_constructor',
    constant: 'const_item static_item const_spec const_element',
    type: 'type_alias_declaration type_item type_spec type_alias type_definition alias_declaration typealias_declaration type_alias_statement delegate_declaration',
    property: 'property_declaration',
    macro: 'macro_definition preproc_function_def preproc_def',
  }).flatMap(([kind, types]) => types.split(' ').map((type) => [type, kind] as const)),
);

/** In these a bare word is a keyword and no definition. */
const anonymous = new Set(['class', 'module', 'method']);
/** Kinds whose functions are methods. */
const holders = new Set(['class', 'interface', 'struct', 'trait', 'enum', 'impl']);
const deepest = 200;

/** The definitions below a node, in the order of the file. */
export function definitionsIn(root: Node, language: string): CodeSymbol[] {
  return collect(root, { language, holder: '', depth: 0 });
}

interface Surroundings {
  readonly language: string;
  /** Kind of the enclosing definition. */
  readonly holder: string;
  readonly depth: number;
}

function collect(node: Node, around: Surroundings): CodeSymbol[] {
  if (around.depth > deepest) return [];
  const found: CodeSymbol[] = [];
  for (const child of node.namedChildren) {
    if (!child) continue;
    const symbol = symbolOf(child, around);
    if (symbol) found.push(symbol);
    else found.push(...collect(child, { ...around, depth: around.depth + 1 }));
  }
  return found;
}

function symbolOf(node: Node, around: Surroundings): CodeSymbol | undefined {
  const kind = kindOf(node, around);
  if (kind === undefined) return undefined;
  const name = nameOf(node);
  if (name === undefined) return undefined;
  const holder = node.type === 'impl_item' ? 'impl' : kind;
  return {
    kind,
    name,
    line: node.startPosition.row + 1,
    // A definition that includes its line's end ends on that line.
    endLine:
      Math.max(node.startPosition.row, node.endPosition.row - (node.endPosition.column === 0 ? 1 : 0)) + 1,
    children: isLeaf(node, kind) ? [] : collect(bodyOf(node), { ...around, holder, depth: around.depth + 1 }),
  };
}

function isLeaf(node: Node, kind: string): boolean {
  return kind === 'type' || kind === 'macro' || (kind === 'constant' && node.type !== 'variable_declarator');
}

/** `const A = class B {…}` is A, and its members belong to A. */
function bodyOf(node: Node): Node {
  const value = node.type === 'variable_declarator' ? node.childForFieldName('value') : null;
  return value?.type === 'class' ? (value.childForFieldName('body') ?? node) : node;
}

function kindOf(node: Node, { holder, language }: Surroundings): string | undefined {
  if (anonymous.has(node.type) && !node.isNamed) return undefined;
  if (node.type === 'module' && language === 'python') return undefined;
  if (node.type === 'variable_declarator')
    return valueKind(node) ?? (isTopConstant(node) ? 'constant' : undefined);
  const assigned = assignedKind(node, language);
  if (assigned !== undefined) return assigned;
  if (node.type === 'preproc_def' && !node.childForFieldName('value')) return undefined;
  if (language === 'cpp' && holders.has(holder) && declaresMethod(node)) return 'method';
  // Local variables are not listed.
  if (node.type === 'property_declaration' && (holder === 'function' || holder === 'method'))
    return undefined;
  if (node.type === 'property_declaration' && language === 'swift') return undefined;
  // A use of a type, such as `struct s x;`, has no body.
  if (/^(struct|class|enum|union)_specifier$/.test(node.type) && !node.childForFieldName('body'))
    return undefined;
  if (node.type === 'type_spec') {
    const type = node.childForFieldName('type')?.type;
    return type === 'struct_type' ? 'struct' : type === 'interface_type' ? 'interface' : 'type';
  }
  if (node.type === 'class_declaration' && (language === 'swift' || language === 'kotlin')) {
    const word = node.children.find(
      (child) => child && /^(class|struct|enum|interface|extension|actor)$/.test(child.type),
    )?.type;
    return word === 'extension' || word === 'actor' ? 'class' : (word ?? 'class');
  }
  const kind = kinds.get(node.type);
  return kind === 'function' && holders.has(holder) ? 'method' : kind;
}
