import { pathToFileURL } from 'node:url';
import openapiTS, { astToString, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';

const HEADER = `// Generated from openapi.yaml by \`npm run contract\`. Change the source, not this file.

`;

/**
 * Generates the TypeScript types of the platform's operations and shapes, as the text of a module.
 *
 * Integers of 64 bits are typed `number | bigint`, since the client loses no digit of them.
 * @param yamlPath path of the OpenAPI document
 * @throws if the document is no valid OpenAPI 3.1
 */
export async function generateContract(yamlPath: string): Promise<string> {
  const nodes = await openapiTS(pathToFileURL(yamlPath), {
    transform: typeOfInt64,
    // The platform may leave out a member that has a default.
    defaultNonNullable: false,
    silent: true,
  });
  return HEADER + astToString(nodes);
}

function typeOfInt64(schema: SchemaObject): ts.TypeNode | undefined {
  if (schema.format !== 'int64') return undefined;
  const { NumberKeyword, BigIntKeyword } = ts.SyntaxKind;
  return ts.factory.createUnionTypeNode([
    ts.factory.createKeywordTypeNode(NumberKeyword),
    ts.factory.createKeywordTypeNode(BigIntKeyword),
  ]);
}
