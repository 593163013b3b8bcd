//! Tensors are read where they lie, whatever their element type; what must be copied is copied right; what is no row is refused.

use candle_core::{DType, Device, Storage, Tensor};
use mirostat::{Config, Row, Sampler, Version, bf16, f16};
use mirostat_candle::TensorRows;

const CPU: Device = Device::Cpu;

fn logits(count: usize) -> Vec<f32> {
    let noise = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 20;
    (0..count).map(|i| noise(i) as f32 / 512.0 - 4.0).collect()
}

/// Where the storage of an f32 tensor begins.
fn address(tensor: &Tensor) -> *const f32 {
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(storage) => {
            storage.as_slice::<f32>().unwrap()[layout.start_offset()..].as_ptr()
        }
        _ => unreachable!("all tensors here are on the CPU"),
    }
}

fn f32_row(row: Row<'_>) -> &[f32] {
    match row {
        Row::F32(row) => row,
        other => panic!("{other:?}"),
    }
}

fn texts(tensor: &Tensor) -> Vec<Vec<f64>> {
    let rows = TensorRows::new(tensor).unwrap();
    (0..rows.len()).map(|i| rows.get(i).to_f64()).collect()
}

fn plain(tensor: &Tensor) -> Vec<Vec<f64>> {
    tensor.to_dtype(DType::F64).unwrap().to_vec2().unwrap()
}

#[test]
fn a_row_is_not_copied() {
    let tensor = Tensor::from_vec(logits(1000), 1000, &CPU).unwrap();
    let expected = address(&tensor);
    let rows = TensorRows::new(&tensor).unwrap();
    let row = f32_row(rows.get(0));
    assert_eq!(
        (row.as_ptr(), row.len(), rows.is_copy()),
        (expected, 1000, false)
    );
}

#[test]
fn the_rows_of_a_batch_are_not_copied() {
    let tensor = Tensor::from_vec(logits(3000), (3, 1000), &CPU).unwrap();
    let expected = address(&tensor);
    let rows = TensorRows::new(&tensor).unwrap();
    assert_eq!(
        (rows.len(), rows.vocabulary(), rows.is_copy()),
        (3, 1000, false)
    );
    for i in 0..3 {
        assert_eq!(
            f32_row(rows.get(i)).as_ptr(),
            expected.wrapping_add(1000 * i)
        );
        assert_eq!(
            f32_row(rows.rows().get(i)).as_ptr(),
            expected.wrapping_add(1000 * i)
        );
    }
}

#[test]
fn rows_cut_out_of_padded_ones_are_not_copied() {
    let tensor = Tensor::from_vec(logits(4 * 1024), (4, 1024), &CPU).unwrap();
    let cut = tensor.narrow(0, 1, 2).unwrap().narrow(1, 3, 1000).unwrap();
    let expected = address(&tensor).wrapping_add(1024 + 3);
    let rows = TensorRows::new(&cut).unwrap();
    assert_eq!(
        (rows.len(), rows.vocabulary(), rows.is_copy()),
        (2, 1000, false)
    );
    assert_eq!(f32_row(rows.get(0)).as_ptr(), expected);
    assert_eq!(f32_row(rows.get(1)).as_ptr(), expected.wrapping_add(1024));
    assert_eq!(texts(&cut), plain(&cut));
}

#[test]
fn the_last_position_of_a_text_is_not_copied() {
    let tensor = Tensor::from_vec(logits(5 * 64), (1, 5, 64), &CPU).unwrap();
    let last = tensor.narrow(1, 4, 1).unwrap().squeeze(1).unwrap();
    let rows = TensorRows::new(&last).unwrap();
    assert!(!rows.is_copy());
    assert_eq!(
        f32_row(rows.get(0)).as_ptr(),
        address(&tensor).wrapping_add(4 * 64)
    );
}

#[test]
fn other_layouts_are_copied_in_order() {
    let tensor = Tensor::from_vec(logits(12), (3, 4), &CPU).unwrap();
    let column = tensor.narrow(1, 2, 1).unwrap().squeeze(1).unwrap();
    for odd in [
        tensor.t().unwrap(),
        tensor.narrow(1, 1, 2).unwrap().t().unwrap(),
        tensor
            .narrow(0, 1, 1)
            .unwrap()
            .broadcast_as((5, 4))
            .unwrap(),
        column.unsqueeze(0).unwrap(),
    ] {
        assert!(
            TensorRows::new(&odd).unwrap().is_copy(),
            "{:?}",
            odd.layout()
        );
        assert_eq!(texts(&odd), plain(&odd));
    }
    let rows = TensorRows::new(&column).unwrap();
    assert_eq!(
        (rows.is_copy(), rows.get(0).to_f64()),
        (true, vec_of(&column))
    );
}

fn vec_of(tensor: &Tensor) -> Vec<f64> {
    tensor.to_dtype(DType::F64).unwrap().to_vec1().unwrap()
}

#[test]
fn every_element_type_steps_as_its_own_row() {
    let single = logits(5000);
    let halves: Vec<f16> = single.iter().map(|&x| f16::from_f32(x)).collect();
    let brains: Vec<bf16> = single.iter().map(|&x| bf16::from_f32(x)).collect();
    let doubles: Vec<f64> = single.iter().map(|&x| f64::from(x)).collect();
    let step = |row: Row<'_>| {
        let mut sampler = Sampler::new(Config::new(3.0).unwrap(), Version::V2).unwrap();
        sampler.sample(row, 0.7).unwrap()
    };
    let tensor = Tensor::from_vec(single.clone(), 5000, &CPU).unwrap();
    for (dtype, expected) in [
        (DType::F32, Row::from(&single)),
        (DType::F16, Row::from(&halves)),
        (DType::BF16, Row::from(&brains)),
        (DType::F64, Row::from(&doubles)),
    ] {
        let tensor = tensor.to_dtype(dtype).unwrap();
        let rows = TensorRows::new(&tensor).unwrap();
        assert!(!rows.is_copy());
        assert_eq!(
            std::mem::discriminant(&rows.get(0)),
            std::mem::discriminant(&expected)
        );
        assert_eq!(step(rows.get(0)), step(expected), "{dtype:?}");
    }
}

#[test]
fn what_is_no_row_of_logits_is_refused_in_words() {
    let refused = |tensor: Tensor| TensorRows::new(&tensor).unwrap_err().to_string();
    let zeros = |shape: &[usize], dtype| Tensor::zeros(shape, dtype, &CPU).unwrap();
    for dtype in [DType::U8, DType::U32, DType::I64] {
        for tensor in [zeros(&[4], dtype), zeros(&[3, 4], dtype).t().unwrap()] {
            let said = refused(tensor);
            assert!(said.contains("f32, f16, bf16 or f64"), "{said}");
        }
    }
    for shape in [&[][..], &[1, 1, 4]] {
        let said = refused(zeros(shape, DType::F32));
        assert!(said.contains("one row [v] or a batch [b, v]"), "{said}");
    }
    for shape in [&[0][..], &[0, 4], &[4, 0]] {
        let said = refused(zeros(shape, DType::F32));
        assert!(said.contains("there are no logits"), "{said}");
    }
}
