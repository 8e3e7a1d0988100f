//! Values that a function may give instead of what it computes.

use syn::{GenericArgument, PathArguments, Type};

/// Tuples of many values have too many combinations.
const MOST: usize = 4;

/// Values of a type, as Rust text; nothing if none can be made by looking at the type.
///
/// A type that is not known gets its default. Where there is none, the mutant does not build, and is counted so.
pub fn of(ty: &Type) -> Option<Vec<String>> {
    match ty {
        Type::Tuple(t) if t.elems.is_empty() => Some(vec!["()".into()]),
        Type::Tuple(t) => {
            let mut all = vec![String::new()];
            for elem in &t.elems {
                let values = of(elem)?;
                all = all.iter().flat_map(|a| values.iter().map(move |v| format!("{a}{v}, "))).collect();
            }
            all.truncate(MOST);
            Some(all.into_iter().map(|a| format!("({})", a.trim_end_matches(' '))).collect())
        }
        Type::Paren(p) => of(&p.elem),
        Type::Reference(r) if r.mutability.is_none() => match &*r.elem {
            Type::Slice(_) => Some(vec!["&[]".into()]),
            Type::Path(p) if p.path.is_ident("str") => Some(vec!["\"\"".into(), "\"xyzzy\"".into()]),
            _ => None,
        },
        Type::Path(p) if p.qself.is_none() => {
            let last = p.path.segments.last()?;
            let inner = || match &last.arguments {
                PathArguments::AngleBracketed(a) => a.args.iter().find_map(|a| match a {
                    GenericArgument::Type(t) => Some(t),
                    _ => None,
                }),
                _ => None,
            };
            named(&last.ident.to_string(), inner())
        }
        _ => None,
    }
}

fn named(name: &str, inner: Option<&Type>) -> Option<Vec<String>> {
    let owned = |values: &[&str]| Some(values.iter().map(|&v| v.to_owned()).collect());
    let wrapped =
        |with: &str| -> Option<Vec<String>> { Some(of(inner?)?.into_iter().map(|v| format!("{with}({v})")).collect()) };
    match name {
        "bool" => owned(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            owned(&["0", "1"])
        }
        "f32" | "f64" => owned(&["0.0", "1.0"]),
        "String" => owned(&["String::new()", "\"xyzzy\".into()"]),
        "Option" => {
            let mut values = vec!["None".to_owned()];
            values.extend(wrapped("Some").unwrap_or_default());
            Some(values)
        }
        "Result" if inner.is_none() => owned(&["Ok(())"]),
        "Result" => wrapped("Ok"),
        "Vec" => owned(&["vec![]"]),
        "Box" => wrapped("Box::new"),
        "Arc" => wrapped("std::sync::Arc::new"),
        "Rc" => wrapped("std::rc::Rc::new"),
        _ => owned(&["Default::default()"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_values() {
        let cases: &[(&str, Option<&[&str]>)] = &[
            ("()", Some(&["()"])),
            ("bool", Some(&["true", "false"])),
            ("std::primitive::u64", Some(&["0", "1"])),
            ("Option<Cause>", Some(&["None", "Some(Default::default())"])),
            ("Option<&'a T>", Some(&["None"])),
            ("Result<bool, StepError>", Some(&["Ok(true)", "Ok(false)"])),
            ("Result<(), E>", Some(&["Ok(())"])),
            ("fmt::Result", Some(&["Ok(())"])),
            ("Result<Vec<T>, E>", Some(&["Ok(vec![])"])),
            ("(bool, Vec<T>)", Some(&["(true, vec![],)", "(false, vec![],)"])),
            ("&str", Some(&["\"\"", "\"xyzzy\""])),
            ("&[T]", Some(&["&[]"])),
            ("Box<[T]>", None),
            ("&T", None),
            ("&mut str", None),
            ("impl Iterator<Item = T>", None),
            ("Belief", Some(&["Default::default()"])),
        ];
        for (ty, values) in cases {
            let found = of(&syn::parse_str(ty).unwrap());
            assert_eq!(found, values.map(|v| v.iter().map(|&v| v.to_owned()).collect::<Vec<_>>()), "{ty}");
        }
    }
}
